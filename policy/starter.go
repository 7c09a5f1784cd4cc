package policy

import _ "embed"

// Starter is a commented policy to begin with.
//
//go:embed starter.yaml
var Starter []byte
