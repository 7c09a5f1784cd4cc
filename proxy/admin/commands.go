package admin

import (
	"net/http"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/internal/clock"
)

// known returns the name of the dependency that a request is for. When there is
// none it has answered.
func (a *Admin) known(w http.ResponseWriter, req *http.Request) (string, bool) {
	name := req.PathValue("dependency")
	if a.proxy.Dependency(name) != nil {
		return name, true
	}
	var names []string
	for n := range a.proxy.Policy().Dependencies.All() {
		names = append(names, n)
	}
	refuse(w, req, problem{
		Status: http.StatusNotFound, Detail: "The policy declares no such dependency.",
		Fields: []fieldFault{{Field: "dependency", Fault: "is not known", Allowed: names}},
	})
	return "", false
}

var forces = map[string]func(*breaker.Breaker, int64){
	"open": (*breaker.Breaker).ForceOpenAt, "closed": (*breaker.Breaker).ForceClosedAt, "auto": (*breaker.Breaker).AutoAt,
}

// force forces a breaker, or lets it decide for itself again.
func (a *Admin) force(w http.ResponseWriter, req *http.Request) {
	name, ok := a.known(w, req)
	if !ok {
		return
	}
	given := fields(w, req, "state")
	if given == nil {
		return
	}
	force := forces[given["state"]]
	if force == nil {
		refuseFields(w, req, unknown("state", given["state"], "open", "closed", "auto"))
		return
	}
	d := a.proxy.Dependency(name)
	if d == nil || d.Breaker() == nil {
		refuse(w, req, problem{Status: http.StatusConflict, Detail: "By the policy in force " + name + " has no breaker."})
		return
	}
	now := clock.Real.Now()
	force(d.Breaker(), now)
	a.log.Warn("breaker commanded", "dependency", name, "state", given["state"], "by", req.RemoteAddr)
	a.done(w, req, struct {
		Dependency string `json:"dependency"`
		Breaker    string `json:"breaker"`
	}{name, d.Breaker().StateAt(now).String()})
}

func unknown(field, value string, allowed ...string) fieldFault {
	if value == "" {
		return fieldFault{Field: field, Fault: "must be given", Allowed: allowed}
	}
	return fieldFault{Field: field, Fault: "is not known", Allowed: allowed}
}
