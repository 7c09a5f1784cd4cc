package page

import (
	_ "embed"
	"html/template"
	"io"
)

var (
	//go:embed problem.html
	problemText string

	problem = template.Must(template.New("problem").Parse(problemText))
)

// WriteProblem writes a page that says why a command was refused.
func WriteProblem(w io.Writer, title, detail string) error {
	return problem.Execute(w, struct {
		Title, Detail string
		Style         template.CSS
	}{title, detail, template.CSS(style)})
}
