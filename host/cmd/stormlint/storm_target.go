package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/stormlint/stormlint/core/fault"
	"github.com/stormlint/stormlint/core/figure"
	"github.com/stormlint/stormlint/host/gateway"
	"github.com/stormlint/stormlint/host/storm"
)

// spareDescriptors are those of a process that are not connections: logs, pipes, sockets on their way to be closed.
const spareDescriptors = 500

// target decides where the clients connect and how many processes that takes; what it returns ends what it started.
//
// Without --uri a gateway is started. While both ends of every connection fit into one process, they share it; beyond that
// each gateway has a process of its own, and beyond what one process holds the clients have too, a pair for each share.
func (v *stormVerb) target(e *env, o *storm.Options) (end func() error, err error) {
	none := func() error { return nil }
	most := descriptors() - spareDescriptors
	if most < 1 {
		return nil, tooFew(v.Clients)
	}
	processes := (o.Clients + most - 1) / most
	if o.Clients > storm.MaxClients {
		processes = 1 // refused there
	}
	if processes > 1 {
		if o.Self, err = self("work"); err != nil {
			return nil, err
		}
	}
	if o.URI != "" {
		if v.AccessLog != "" || len(v.Outage) > 0 || len(v.DropAt) > 0 {
			return nil, &fault.Error{Code: fault.BadUsage, Package: "storm", Message: "--access-log, --outage and --drop-at belong to the gateway that storm starts, and --uri names another server"}
		}
		for range processes {
			if processes > 1 {
				o.Workers = append(o.Workers, o.URI)
			}
		}
		return none, nil
	}
	if v.Capacity > 0 {
		o.Ramp = v.Capacity * 0.8 // the first connects are no storm
	}
	g, closeLog, err := v.options()
	if err != nil {
		return nil, err
	}
	if 2*o.Clients <= most {
		s, err := gateway.Listen("127.0.0.1:0", g)
		if err != nil {
			return nil, errors.Join(err, closeLog())
		}
		o.URI, o.Drop = s.URI(), s.Drop
		return func() error {
			limit, cancel := context.WithTimeout(context.Background(), v.Drain+5*time.Second)
			defer cancel()
			return errors.Join(s.Close(limit), closeLog())
		}, nil
	}
	work, err := self("work")
	if err != nil {
		return nil, errors.Join(err, closeLog())
	}
	log, _ := g.AccessLog.(*os.File)
	list, err := storm.StartGateways(e.ctx, work, processes, g, log)
	if err != nil {
		return nil, errors.Join(err, closeLog())
	}
	o.URI, o.Drop = list.URIs()[0], list.Drop
	if processes > 1 {
		o.Workers = list.URIs()
	}
	return func() error { return errors.Join(list.Close(), closeLog()) }, nil
}

func tooFew(clients int) error {
	return &fault.Error{Code: fault.Infeasible, Package: "storm", Field: "clients", Value: strconv.Itoa(clients),
		Message: "this process may open only " + figure.Count(int64(descriptors())) + " files", Expected: "a higher limit: ulimit -n 20000"}
}
