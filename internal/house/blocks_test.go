package house

import "strings"

// A block is a fenced block of a Markdown file.
type block struct {
	language string
	text     string
	line     int // of its first line of text, from 1
}

// blocks returns the fenced blocks of a Markdown file, and the file without
// them, line by line, so that code is not taken for prose.
func blocks(markdown string) (fenced []block, prose []string) {
	fence := ""
	for number, line := range strings.Split(markdown, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence == "" && strings.HasPrefix(trimmed, "```"):
			language := strings.TrimLeft(trimmed, "`")
			fence = trimmed[:len(trimmed)-len(language)]
			word, _, _ := strings.Cut(strings.TrimSpace(language), " ")
			fenced = append(fenced, block{language: word, line: number + 2})
			line = ""
		case fence != "" && trimmed == fence:
			fence, line = "", ""
		case fence != "":
			fenced[len(fenced)-1].text += line + "\n"
			line = ""
		}
		prose = append(prose, line)
	}
	return fenced, prose
}
