//go:build !linux

package gateway

func newDoorman(s *Server) doorman { return each{s} }
