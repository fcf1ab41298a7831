package format

import "strings"

// nginx reads $name and ${name}.
func (f *Template) nginx(s string) string {
	before := ""
	for len(s) > 0 {
		if s[0] != '$' {
			before += s[:1]
			s = s[1:]
			continue
		}
		s = s[1:]
		var v string
		if len(s) > 0 && s[0] == '{' {
			end := strings.IndexByte(s, '}')
			if end < 0 {
				return "a closing brace after ${"
			}
			v, s = s[1:end], s[end+1:]
		} else {
			n := 0
			for n < len(s) && (s[n] == '_' || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || s[n] >= '0' && s[n] <= '9') {
				n++
			}
			v, s = s[:n], s[n:]
		}
		p := part{before: before}
		switch v {
		case "remote_addr", "realip_remote_addr", "binary_remote_addr":
			p.role = asClient
		case "remote_port":
			p.role = asPort
		case "time_local", "time_iso8601", "msec":
			p.role = asTime
		case "request":
			p.role = asRequest
		case "request_uri", "uri", "document_uri":
			p.role = asURL
		case "args", "query_string":
			p.role = asQuery
		case "request_method":
			p.role = asMethod
		case "server_protocol":
			p.role = asProtocol
		case "status":
			p.role = asStatus
		case "request_time":
			p.role, p.unit = asDuration, 1e9
		case "http_user_agent":
			p.role = asAgent
		case "http_x_forwarded_for", "proxy_add_x_forwarded_for":
			p.role = asForwarded
		case "host", "http_host", "server_name":
			p.role = asHost
		case "http_upgrade":
			p.role = asUpgrade
		case "request_id":
			p.role = asID
		case "upstream_status":
			p.role = asUpstream
		}
		f.parts = append(f.parts, p)
		before = ""
	}
	f.parts = append(f.parts, part{before: before})
	return ""
}

// apache reads %h, %>s, %{name}x; %t brings its own brackets.
func (f *Template) apache(s, server string) string {
	before := ""
	for len(s) > 0 {
		if s[0] != '%' {
			before += s[:1]
			s = s[1:]
			continue
		}
		s = s[1:]
		for len(s) > 0 && (s[0] == '>' || s[0] == '<' || s[0] == '!' || s[0] == ',' || s[0] >= '0' && s[0] <= '9') {
			s = s[1:]
		}
		name := ""
		if len(s) > 0 && s[0] == '{' {
			end := strings.IndexByte(s, '}')
			if end < 0 {
				return "a closing brace after %{"
			}
			name, s = s[1:end], s[end+1:]
		}
		if s == "" {
			return "a letter after %"
		}
		c := s[0]
		s = s[1:]
		if c == 'T' && strings.HasPrefix(s, "f") { // aiohttp's %Tf
			s = s[1:]
		}
		p := part{before: before}
		switch c {
		case 'h', 'a':
			p.role = asClient
		case 't':
			switch {
			case name == "begin:msec" || name == "begin:sec" || name == "msec" || name == "sec" || strings.HasPrefix(name, "begin:") || strings.HasPrefix(name, "end:"):
			default:
				p.role, p.kind = asTime, stampBracketed
			}
		case 'r':
			p.role = asRequest
		case 'U':
			p.role = asURL
		case 'q':
			p.role = asQuery
		case 'm':
			p.role = asMethod
		case 'H':
			p.role = asProtocol
		case 's':
			p.role = asStatus
		case 'v', 'V':
			p.role = asHost
		case 'D':
			p.role, p.unit = asDuration, 1e3
			if server == "undertow" {
				p.unit = 1e6
			}
		case 'T':
			p.role, p.unit = asDuration, 1e9
			switch name {
			case "ms":
				p.unit = 1e6
			case "us":
				p.unit = 1e3
			}
		case 'F': // Tomcat: ms
			p.role, p.unit = asDuration, 1e6
		case 'i':
			switch strings.ToLower(strings.TrimPrefix(name, "i,")) {
			case "user-agent":
				p.role = asAgent
			case "x-forwarded-for":
				p.role = asForwarded
			case "host":
				p.role = asHost
			case "upgrade":
				p.role = asUpgrade
			case "x-request-id":
				p.role = asID
			}
		}
		if i, ok := strings.CutPrefix(name, "i,"); ok { // Undertow: %{i,User-Agent} ends at the brace
			s = string(c) + s
			switch strings.ToLower(i) {
			case "user-agent":
				p.role = asAgent
			case "x-forwarded-for":
				p.role = asForwarded
			default:
				p.role = noRole
			}
		}
		if p.role == asDuration { // the first of %D, %T and %F is the finest where people write several
			for _, q := range f.parts {
				if q.role == asDuration {
					p.role = noRole
				}
			}
		}
		f.parts = append(f.parts, p)
		before = ""
	}
	f.parts = append(f.parts, part{before: before})
	return ""
}

// plain reads {role}, {*} and text.
func (f *Template) plain(s string) string {
	for len(s) > 0 {
		open := strings.IndexByte(s, '{')
		if open < 0 {
			break
		}
		end := strings.IndexByte(s[open:], '}')
		if end < 0 {
			return "a closing brace"
		}
		word := s[open+1 : open+end]
		p := part{before: s[:open]}
		if word != "*" {
			if p.role = roleNamed(word); p.role == noRole {
				return "{*} or one of {" + Roles + "}"
			}
			p.unit = unitNamed(word)
		}
		f.parts = append(f.parts, p)
		s = s[open+end+1:]
	}
	f.parts = append(f.parts, part{before: s})
	return ""
}
