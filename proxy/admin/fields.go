package admin

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// maxBody bounds the body of a request.
const maxBody = 4 << 10

// fields reads the fields of a command from a form or from JSON, all as text: a
// number of JSON is what is written there. What is empty is as if it were not
// there. When it returns nil it has answered.
func fields(w http.ResponseWriter, req *http.Request, allowed ...string) map[string]string {
	kind, _, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if err != nil {
		kind = req.Header.Get("Content-Type")
	}
	found := map[string]string{}
	switch kind {
	case "application/x-www-form-urlencoded", "":
		if err := req.ParseForm(); err != nil {
			refuseBody(w, req, err)
			return nil
		}
		for name, values := range req.PostForm {
			found[name] = values[len(values)-1]
		}
	case "application/json":
		body, err := io.ReadAll(req.Body)
		var raw map[string]json.RawMessage
		if err == nil {
			err = json.Unmarshal(body, &raw)
		}
		if err != nil {
			refuseBody(w, req, err)
			return nil
		}
		for name, value := range raw {
			text := string(value)
			if json.Unmarshal(value, &text) != nil && strings.ContainsAny(text[:1], `{["`) {
				refuseFields(w, req, fieldFault{Field: name, Fault: "must be a text or a number"})
				return nil
			}
			found[name] = text
		}
	default:
		refuse(w, req, problem{Status: http.StatusUnsupportedMediaType, Detail: "The body must be application/json or application/x-www-form-urlencoded."})
		return nil
	}
	var faults []fieldFault
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if found[name] == "" || found[name] == "null" || name == pausedField {
			delete(found, name)
		} else if !slices.Contains(allowed, name) {
			faults = append(faults, fieldFault{Field: name, Fault: "is not known", Allowed: allowed})
		}
	}
	if len(faults) > 0 {
		refuseFields(w, req, faults...)
		return nil
	}
	return found
}

func refuseBody(w http.ResponseWriter, req *http.Request, err error) {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		refuse(w, req, problem{Status: http.StatusRequestEntityTooLarge, Detail: "The body may have 4 KiB."})
		return
	}
	refuse(w, req, problem{Status: http.StatusBadRequest, Detail: "The body cannot be read: " + err.Error()})
}

// pausedField is what the page's forms say when the page is not kept up to date.
const pausedField = "refresh"

// done answers a command: with what is now, or, to a form of the page, with the
// page.
func (a *Admin) done(w http.ResponseWriter, req *http.Request, now any) {
	if !fromBrowser(req) {
		sendJSON(w, now)
		return
	}
	to := "/"
	if req.PostForm.Get(pausedField) != "" {
		to = "/?refresh=off"
	}
	http.Redirect(w, req, to, http.StatusSeeOther)
}
