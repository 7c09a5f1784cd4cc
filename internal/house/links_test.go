package house

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`^#{1,6} +(.*)$`)
)

// TestLinksLeadSomewhere follows every link of the documents that stays inside
// the project, to its file and its heading.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, f := range files(t, ".md") {
		_, prose := blocks(read(t, f))
		for number, line := range prose {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				target, anchor, _ := strings.Cut(m[1], "#")
				if strings.Contains(target, ":") { // another place's: https, mailto
					continue
				}
				file := f
				if target != "" {
					file = path.Join(path.Dir(f), target)
				}
				if _, err := os.Stat(filepath.Join(root(), filepath.FromSlash(file))); err != nil {
					t.Errorf("%s:%d: the link to %s leads nowhere", f, number+1, m[1])
				} else if anchor != "" && !anchors(read(t, file))[anchor] {
					t.Errorf("%s:%d: %s has no heading #%s", f, number+1, file, anchor)
				}
			}
		}
	}
}

// TestEveryPageIsOnTheMap looks for each page and decision in docs/README.md.
func TestEveryPageIsOnTheMap(t *testing.T) {
	pages := read(t, "docs/README.md")
	for _, f := range files(t, ".md") {
		page, ok := strings.CutPrefix(f, "docs/")
		if ok && page != "README.md" && !strings.Contains(pages, "]("+page+")") {
			t.Errorf("docs/README.md does not lead to %s: which question does it answer?", page)
		}
	}
}

// anchors returns the names under which the headings of a document are reached:
// in lower case, letters, digits, - and _ kept, spaces as -.
func anchors(markdown string) map[string]bool {
	found := map[string]bool{}
	_, prose := blocks(markdown)
	for _, line := range prose {
		if m := heading.FindStringSubmatch(line); m != nil {
			found[strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
					return unicode.ToLower(r)
				}
				return -1
			}, m[1])] = true
		}
	}
	return found
}
