package admin

import (
	"bytes"
	"net/http"

	"github.com/stanch-go/stanch/proxy/admin/page"
)

func (a *Admin) page(w http.ResponseWriter, req *http.Request) {
	p := a.proxy.Policy()
	var out bytes.Buffer
	err := page.Write(&out, page.Data{
		Service: p.Service.Name, Status: a.proxy.Status(), Now: a.history.Now, Series: a.history.Read,
		Events: a.proxy.Events().Since(0), Policy: string(p.YAML()),
		Paused: req.URL.Query().Get("refresh") == "off",
	})
	if err != nil {
		a.log.Error("the page could not be drawn", "error", err)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(out.Bytes())
}
