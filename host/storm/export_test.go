package storm

// Dialed has Go's net package make the connections, where a poller would.
func (o Options) Dialed(yes bool) Options { o.dialed = yes; return o }

// Trusting takes any certificate.
func (o Options) Trusting() Options { o.skipVerify = true; return o }
