package abi

import (
	"github.com/stormlint/stormlint/core/connlog"
	"github.com/stormlint/stormlint/core/connlog/format"
	"github.com/stormlint/stormlint/core/connlog/wrapper"
)

// catalogue is every format and wrapper that logs are read in.
func (s *Session) catalogue() connlog.Catalogue {
	c := connlog.Catalogue{Formats: format.All(), Wrappers: wrapper.All()}
	if s.Decoder != nil {
		for i, f := range c.Formats {
			c.Formats[i] = s.Decoder(f)
		}
		c.Formats = append([]connlog.Format{s.Decoder(connlog.Base{})}, c.Formats...)
	}
	return c
}
