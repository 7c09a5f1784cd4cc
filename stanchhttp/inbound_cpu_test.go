//go:build unix

package stanchhttp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/shed"
	"github.com/stanch-go/stanch/stanchhttp"
)

const serverVariable = "STANCH_INBOUND_SERVER"

// TestMain is also the main function of the server whose processor time is
// measured, without that of its clients.
func TestMain(m *testing.M) {
	if os.Getenv(serverVariable) == "" {
		os.Exit(m.Run())
	}
	control, err := inbound.New("shop", inbound.Config{
		Deadline:    10 * time.Second,
		Limits:      []inbound.Limit{{Name: "refused", Route: "/refused", By: inbound.Tenant, Rate: 1e-9}},
		Concurrency: inbound.Concurrency{Config: shed.Config{Limit: 64}},
	})
	if err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	go func() { io.Copy(io.Discard, os.Stdin); os.Exit(0) }() // it ends with its test
	mux := http.NewServeMux()
	mux.HandleFunc("/cpu", func(w http.ResponseWriter, _ *http.Request) {
		var u syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		fmt.Fprint(w, u.Utime.Nano()+u.Stime.Nano())
	})
	mux.HandleFunc("/plain", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "too much", http.StatusTooManyRequests) })
	mux.Handle("/", stanchhttp.Inbound(http.HandlerFunc(catalogue), control, stanchhttp.InboundOptions{Tenant: "X-Tenant"}))
	panic(http.Serve(l, mux))
}

type article struct {
	Name, Text string
	Price      float64
	Tags       []string
}

var articles = func() []byte {
	var all []article
	for i := range 200 {
		all = append(all, article{fmt.Sprint("article ", i), strings.Repeat("a good thing & more ", 5), float64(i) / 7, []string{"new", "red"}})
	}
	data, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return data
}()

var catalogueText = template.Must(template.New("").Parse(`<table>{{range .}}<tr><td>{{.Name}}</td><td title="{{.Text}}">{{.Text}}</td><td>{{printf "%.2f" .Price}}</td>{{range .Tags}}<td>{{.}}</td>{{end}}</tr>{{end}}</table>`))

// catalogue does what a small page costs: it reads 200 articles, 32 KB of JSON as
// from a store, and writes them as HTML.
func catalogue(w http.ResponseWriter, _ *http.Request) {
	var all []article
	if err := json.Unmarshal(articles, &all); err != nil {
		panic(err)
	}
	if err := catalogueText.Execute(w, all); err != nil {
		panic(err)
	}
}

// BenchmarkRefusalShare compares the server's processor time for a request that is
// refused, all of net/http with it, with that of one that is served, and of one
// that a bare handler refuses.
func BenchmarkRefusalShare(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), serverVariable+"=1")
	in, err := c.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	defer c.Wait()
	defer in.Close()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	url := "http://" + strings.TrimSpace(address)
	get := func(path string) (string, int) {
		resp, err := http.Get(url + path)
		if err != nil {
			b.Fatal(err)
		}
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			b.Fatal(err)
		}
		return string(data), resp.StatusCode
	}
	used := func() float64 {
		text, _ := get("/cpu")
		ns, err := strconv.ParseFloat(text, 64)
		if err != nil {
			b.Fatal(err)
		}
		return ns / 1e3
	}
	each := func(path string, status int) float64 {
		get(path)
		before := used()
		for range b.N {
			if _, got := get(path); got != status {
				b.Fatalf("%s: %d", path, got)
			}
		}
		return (used() - before) / float64(b.N)
	}
	get("/refused") // the one that its limit admits
	served, refused := each("/", 200), each("/refused", 429)
	b.ReportMetric(each("/plain", 429), "µs/plain")
	b.ReportMetric(served, "µs/served")
	b.ReportMetric(refused, "µs/refused")
	b.ReportMetric(100*refused/served, "%")
}
