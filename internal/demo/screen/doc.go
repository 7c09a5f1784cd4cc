// Package screen shows a demonstration: live in a terminal, as plain lines, and
// when it is over as a summary or as JSON.
package screen
