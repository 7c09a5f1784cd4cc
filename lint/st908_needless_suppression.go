package lint

// needless has no Check: it looks when all others have.
var needless = &Rule{
	Code: "ST908", Title: "A suppression suppresses nothing", Severity: Warning,
	Why: `It would hide the next finding of its rule, for a reason that was given for another. A suppression goes when its reason does.`,
	Bad: `dependencies:
  recommend:
    class: optional_read
    fallback: {empty: array}
    allow: [{check: ST501, reason: nobody looks at the list yet}]
`,
	Good: `dependencies:
  recommend:
    class: optional_read
    allow: [{check: ST501, reason: the service has its own list}]
`,
}
