package proxy

import (
	"reflect"
	"strings"
	"time"

	"github.com/stanch-go/stanch/policy"
)

// Swap puts another policy in force, in one step, and returns what changed. What
// did not change lives on: breakers, budgets, bulkheads, connections, answers
// that were kept. Requests in flight end under the policy that they began with.
// When something of the policy cannot be had nothing changes, and all faults are
// returned.
//
// Listeners stay as they are until the next start.
func (p *Proxy) Swap(pol *policy.Policy) (changes []string, err error) {
	p.swapping.Lock()
	defer p.swapping.Unlock()
	before := p.table.Load()
	after, err := p.build(pol, before)
	if err != nil {
		p.reject(err)
		return nil, err
	}
	after.since = time.Now()
	if before != nil && before.policy.Hash == pol.Hash {
		after.since = before.since
	}
	p.table.Store(after)
	p.startQuotas(after.intake, before.intakeOr())
	p.fault.Store(nil)
	if before == nil {
		return nil, nil
	}
	before.retire(after)
	changes = differences(before, after)
	text := "no change"
	if len(changes) > 0 {
		text = strings.Join(changes, "; ")
	}
	p.events.add(Event{Kind: KindReload, Text: text})
	p.options.Log.Info("policy in force", "file", pol.Path, "hash", pol.Hash, "changes", changes)
	return changes, nil
}

// A rejection is why a policy was refused, and when.
type rejection struct {
	text string
	at   time.Time
}

// reject tells that a policy was refused.
func (p *Proxy) reject(err error) {
	text := err.Error()
	p.fault.Store(&rejection{text, time.Now()})
	if p.table.Load() == nil {
		return // whoever starts us is told
	}
	p.events.add(Event{Kind: KindRejected, Text: text})
	p.options.Log.Error("policy refused, the one before stays in force", "error", text)
}

// retire ends the routes that are not in the table after.
func (t *table) retire(after *table) {
	for _, r := range t.order {
		if after.byName[r.name] != r {
			r.retire()
		}
	}
	if t.ingress != nil && t.ingress != after.ingress {
		t.ingress.retire()
	}
}

// differences tells what another policy changes.
func differences(before, after *table) []string {
	var all []string
	for _, r := range after.order {
		switch old := before.byName[r.name]; {
		case old == nil:
			all = append(all, r.name+": new")
		case old.guard != r.guard:
			all = append(all, r.name+": changed, begins anew")
		case old != r:
			all = append(all, r.name+": changed")
		}
	}
	for _, r := range before.order {
		if after.byName[r.name] == nil {
			all = append(all, r.name+": gone")
		}
	}
	if (before.ingress == nil) != (after.ingress == nil) || before.ingress != nil && before.ingress != after.ingress {
		all = append(all, "ingress: changed")
	}
	if !reflect.DeepEqual(before.policy.Effective().Inbound, after.policy.Effective().Inbound) {
		all = append(all, "inbound: changed")
	}
	if before.egressTLS != nil && before.egressTLS != after.egressTLS {
		all = append(all, "egress_tls: changed, for new connections")
	}
	if before.ingressTLS != nil && before.ingressTLS != after.ingressTLS {
		all = append(all, "ingress tls: changed, for new connections")
	}
	old, now := before.policy.Effective().Listen, after.policy.Effective().Listen
	if old.Egress != now.Egress || old.Ingress.Address != now.Ingress.Address || old.Admin != now.Admin ||
		old.EgressTLS.On() != now.EgressTLS.On() || old.Ingress.TLS.On() != now.Ingress.TLS.On() {
		all = append(all, "listen: changed, in force at the next start")
	}
	return all
}

// Reject tells that a policy could not be read, so that the state shows it.
func (p *Proxy) Reject(err error) {
	p.swapping.Lock()
	defer p.swapping.Unlock()
	p.reject(err)
}
