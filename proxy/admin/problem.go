package admin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/stanch-go/stanch/proxy/admin/page"
)

// A problem is an answer that says what is wrong (RFC 9457).
type problem struct {
	Type   string       `json:"type"`
	Title  string       `json:"title"`
	Status int          `json:"status"`
	Detail string       `json:"detail"`
	Fields []fieldFault `json:"fields,omitempty"`
}

// A fieldFault is what is wrong with one field of a request.
type fieldFault struct {
	Field   string   `json:"field"`
	Fault   string   `json:"fault"`
	Allowed []string `json:"allowed,omitempty"`
}

// A fieldFault is an error: "share: must be above 0 and at most 1, is 2".
func (f fieldFault) Error() string {
	text := f.Field + ": " + f.Fault
	if len(f.Allowed) > 0 {
		text += "; allowed: " + strings.Join(f.Allowed, ", ")
	}
	return text
}

// fromBrowser reports whether a person reads the answer.
func fromBrowser(req *http.Request) bool {
	return strings.Contains(req.Header.Get("Accept"), "text/html")
}

func refuse(w http.ResponseWriter, req *http.Request, p problem) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	if fromBrowser(req) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(p.Status)
		_ = page.WriteProblem(w, p.Title, p.Detail) // the client has left, if it fails
		return
	}
	send(w, p.Status, "application/problem+json", p)
}

// refuseFields answers 400 with what is wrong with the fields of a request.
func refuseFields(w http.ResponseWriter, req *http.Request, faults ...fieldFault) {
	detail := "1 field is faulty: "
	if len(faults) != 1 {
		detail = fmt.Sprintf("%d fields are faulty: ", len(faults))
	}
	for i, f := range faults {
		if i > 0 {
			detail += "; "
		}
		detail += f.Error()
	}
	refuse(w, req, problem{Status: http.StatusBadRequest, Detail: detail + ".", Fields: faults})
}

func sendJSON(w http.ResponseWriter, x any) { send(w, http.StatusOK, "application/json", x) }

func send(w http.ResponseWriter, status int, kind string, x any) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(x); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // whoever asked has left, if it fails
}
