package shed

import (
	"testing"
	"time"
)

func TestPriority(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Priority
		ok   bool
	}{
		{"critical-plus", CriticalPlus, true}, {"critical", Critical, true},
		{"sheddable-plus", SheddablePlus, true}, {"sheddable", Sheddable, true},
		{" CRITICAL_PLUS ", CriticalPlus, true}, {"Sheddable", Sheddable, true},
		{"", Critical, false}, {"high", Critical, false}, {"critical plus", Critical, false},
		{"critical-plus-plus", Critical, false}, {"3", Critical, false}, {"criticaL\x00", Critical, false},
	} {
		if got, ok := ParsePriority(tt.text); got != tt.want || ok != tt.ok {
			t.Errorf("%q: %v %v", tt.text, got, ok)
		}
	}
	for p := Sheddable; p <= CriticalPlus; p++ {
		if got, ok := ParsePriority(p.String()); got != p || !ok {
			t.Errorf("%v is read as %v", p, got)
		}
	}
	if Priority(0) != Critical || Priority(9).String() != "critical-plus" || Priority(-9).String() != "sheddable" {
		t.Error("the zero value is not Critical, or the ends are open")
	}
	ctx := t.Context()
	if got := PriorityOf(ctx); got != Critical {
		t.Errorf("without one: %v", got)
	}
	if got := PriorityOf(WithPriority(WithPriority(ctx, CriticalPlus), Sheddable)); got != Sheddable {
		t.Errorf("the inner one: %v", got)
	}
	if n := testing.AllocsPerRun(100, func() { ParsePriority("Sheddable_Plus"); PriorityOf(ctx) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func user(i int) string {
	return "user-" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
}

// One user has one level for an hour, wherever it is asked for; all users together
// are spread evenly, and in an hour each has another level.
func TestLevels(t *testing.T) {
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	const users = 12_800
	var count [Levels + 1]int
	changed, atTheHour := 0, 0
	for i := range users {
		level := LevelOf(user(i), noon)
		count[level]++
		changes := 0
		for m := 1; m <= 60; m++ {
			if next := LevelOf(user(i), noon.Add(time.Duration(m)*time.Minute)); next != level {
				changes++
				level = next
				if m == 1 {
					atTheHour++
				}
			}
		}
		if changes > 1 {
			t.Fatalf("%s changes its level %d times in an hour", user(i), changes)
		}
		changed += changes
	}
	if count[0] != 0 {
		t.Errorf("%d users have no level", count[0])
	}
	for l, n := range count[1:] {
		if n < 50 || n > 150 {
			t.Errorf("level %d has %d users of about 100", l+1, n)
		}
	}
	if changed < users*98/100 {
		t.Errorf("only %d of %d have another level after an hour", changed, users)
	}
	if atTheHour > users/20 {
		t.Errorf("%d of %d change in the same minute", atTheHour, users)
	}
	if LevelOf("", noon) != 0 || LevelOf("a", noon) != LevelOf("a", noon.In(time.FixedZone("", 3600))) {
		t.Error("no user, or another zone")
	}
	if got := LevelOf("alice", noon); got != 54 { // other programs compute the same
		t.Errorf("the level of alice is %d", got)
	}
	if l := LevelOf("bob", time.Unix(-1<<60, 0)); l < 1 || l > Levels {
		t.Errorf("long ago: %d", l)
	}
}
