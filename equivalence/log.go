package equivalence

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// journal is what one side of a scenario saw, line by line. It may be written
// from many goroutines.
type journal struct {
	mu    sync.Mutex
	lines []entry
}

// entry is a line of a journal; key names the call in concurrent scenarios.
type entry struct{ key, text string }

func (j *journal) add(key, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if key != "" {
		text = key + ": " + text
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, entry{key, text})
}

// canonical is the journal as it is compared. Sorted, the calls are in the
// order of their keys and each keeps its own order.
func (j *journal) canonical(sorted bool) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := slices.Clone(j.lines)
	if sorted {
		slices.SortStableFunc(lines, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.text
	}
	return out
}
