package format

import "github.com/stormlint/stormlint/core/connlog"

// All gives every format, not yet configured, in the order in which --format auto prefers them at equal certainty: the
// narrower before the wider.
func All() []connlog.Format {
	return []connlog.Format{
		Nginx{}, Apache{}, Ingress{}, Traefik{}, Hypercorn{}, Daphne{}, Werkzeug{}, Aiohttp{}, Undertow, Jetty, Tomcat,
		HAProxy{}, HAProxyCLF{}, HAProxyTCP{}, Envoy{}, ALB{}, W3C{},
		Granian{}, Tornado{}, Sanic{}, Uvicorn{},
		Mosquitto{}, NATS{}, SocketIO{}, Phoenix{}, ASPNet{},
		EnvoyJSON{}, TraefikJSON{}, Caddy{}, NginxJSON{}, Cloudflare{}, APIGateway{}, GCP{}, Centrifugo{}, Fastify{}, JSON{},
		NginxError{},
		Template{},
	}
}

// Find gives the format of that name, nil if there is none.
func Find(name string) connlog.Format {
	for _, f := range All() {
		if f.Name() == name {
			return f
		}
	}
	return nil
}
