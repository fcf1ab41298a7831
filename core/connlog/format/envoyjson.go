package format

import (
	"github.com/stormlint/stormlint/core/connlog"
)

// EnvoyJSON reads Envoy's JSON access log under the names of Istio, of Envoy Gateway and of most people's templates:
//
//	{"start_time":"2026-11-30T19:15:56.388Z","method":"GET","path":"/ws","response_code":101,"response_flags":"UC","duration":405,
//	 "response_code_details":"upstream_reset_after_response_started{…}","downstream_remote_address":"203.0.113.42:0",…}
//
// All of Envoy's rules hold. The details tell what the flags leave open: Envoy's own stop from a client's leaving, the
// stream's limit from a clean end. downstream_remote_address is the client as Envoy's configuration sees it; port 0 says
// that it came from the forwarded list. With access_log_type only DownstreamEnd ends a session.
type EnvoyJSON struct {
	Envoy
	names *names
}

// Name is "envoy-json".
func (f EnvoyJSON) Name() string { return "envoy-json" }

// Traits are Envoy's.
func (f EnvoyJSON) Traits() connlog.Traits {
	t := f.Envoy.Traits()
	t.Title = "Envoy access log (JSON)"
	return t
}

func envoyNames() *names {
	return newNames(false).
		add(asStart, "start_time startTime").
		add(asDuration, "duration@ms").
		add(asStatus, "response_code responseCode status").
		add(asFlags, "response_flags responseFlags flags").
		add(asDetails, "response_code_details responseCodeDetails").
		add(asURL, "path x-envoy-origin-path x_envoy_origin_path").
		add(asMethod, "method").
		add(asProtocol, "protocol").
		add(asForwarded, "x_forwarded_for x-forwarded-for xff").
		add(asAgent, "user_agent user-agent userAgent").
		add(asID, "request_id x-request-id requestId").
		add(asHost, "authority :authority host").
		add(asUpstream, "upstream_host upstreamHost").
		add(asCluster, "upstream_cluster upstreamCluster").
		add(asClient, "downstream_remote_address downstreamRemoteAddress client").
		add(asService, "upstream_service_time x-envoy-upstream-service-time").
		add(asKind, "access_log_type log_type").
		add(asUpgrade, "upgrade")
}

// Match wants a start, a code and flags.
func (f EnvoyJSON) Match(rec []byte) int {
	switch m := keys(rec, "start_time", "response_code", "response_flags"); {
	case m == 7:
		return 98
	case m == 3:
		return 75
	}
	return 0
}

// Learn looks for what many lines say together, as Envoy does.
func (f EnvoyJSON) Learn(records [][]byte) string {
	n := envoyNames()
	var l learned
	for _, rec := range records {
		var d document
		if d.read(rec, n) == connlog.Used {
			e := f.line(&d)
			l.see(&e)
		}
	}
	return l.words()
}

// Configure takes the words that Learn found.
func (f EnvoyJSON) Configure(s *connlog.Setup) (connlog.Format, error) {
	e, err := f.Envoy.Configure(s)
	if err != nil {
		return nil, err
	}
	return EnvoyJSON{e.(Envoy), withMap(envoyNames(), s)}, nil
}

// line gives the pieces without their quotes; what needs no unescaping is compared as it stands.
func (f EnvoyJSON) line(d *document) (e envoyLine) {
	bare := func(r role) piece {
		p := d.at(r)
		if p.to-p.from >= 2 && d.rec[p.from] == '"' {
			p.from++
			p.to--
		}
		return p
	}
	e.rec = d.rec
	e.start, e.flags, e.details, e.ms = bare(asStart), bare(asFlags), bare(asDetails), bare(asDuration)
	e.xff, e.id, e.host, e.upstream = bare(asForwarded), bare(asID), bare(asHost), bare(asUpstream)
	e.cluster, e.remote, e.kind = bare(asCluster), bare(asClient), bare(asKind)
	e.code, _ = d.status()
	e.service = d.has(asService)
	return e
}

// Read reads one record.
func (f EnvoyJSON) Read(b *connlog.Batch, r connlog.Record) connlog.Reason {
	rec := b.Text(r.Span)
	var d document
	if reason := d.read(rec, f.names); reason != connlog.Used {
		return reason
	}
	if !d.has(asStart) {
		return connlog.NoTime
	}
	var x exchange
	x.fresh()
	if !d.request(b, r.Span, &x) {
		return connlog.Ignored // a TCP stream, or bytes that were no request
	}
	e := f.line(&d)
	if d.has(asUpgrade) {
		d.upgrade(&x)
		if x.upgrade == asked {
			e.service = false
		}
	}
	x.UserAgent, x.Group = d.span(b, r.Span, asAgent), d.span(b, r.Span, asGroup)
	return f.settle(b, r, rec, &e, &x)
}
