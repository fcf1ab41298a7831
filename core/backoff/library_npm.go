package backoff

var catalogue = []Library{}
