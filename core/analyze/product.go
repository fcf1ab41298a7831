package analyze

import "strings"

// product names what a user agent is, short enough for a group: the first product and its version ("okhttp/4.12.0"), of a
// browser its own name and the number before the point ("Chrome/142").
func product(agent string) string {
	if !strings.HasPrefix(agent, "Mozilla/") {
		first, _, _ := strings.Cut(agent, " ")
		if rest := strings.TrimPrefix(agent, first); strings.HasPrefix(rest, " websockets/") { // Python/3.11 websockets/10.4
			word, _, _ := strings.Cut(rest[1:], " ")
			return word
		}
		return first
	}
	for _, name := range [...]string{"Electron/", "Edg/", "OPR/", "SamsungBrowser/", "Firefox/", "CriOS/", "Chrome/", "Version/"} {
		i := strings.Index(agent, name)
		if i < 0 {
			continue
		}
		version := agent[i+len(name):]
		end := 0
		for end < len(version) && version[end] >= '0' && version[end] <= '9' {
			end++
		}
		if name == "Version/" {
			name = "Safari/"
		}
		return name + version[:end]
	}
	return "Mozilla"
}

// monitors are words of the user agents of health checks.
var monitors = [...]string{"kube-probe", "ELB-HealthChecker", "GoogleHC", "UptimeRobot", "Pingdom", "Blackbox", "blackbox-exporter", "StatusCake", "Site24x7", "NodePing", "Uptime-Kuma", "HealthCheck", "healthcheck", "Consul Health Check", "Datadog"}

func monitor(agent string) bool {
	for _, w := range monitors {
		if strings.Contains(agent, w) {
			return true
		}
	}
	return false
}
