package golden

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStable(t *testing.T) {
	assert.Equal(t, "POST / HTTP/1.1\nA: 1\nB: 2\n\nbody\r\n",
		stable([]byte("POST / HTTP/1.1\r\nHost: x\r\nB: 2\r\nContent-Length: 6\r\nA: 1\r\nDate: now\r\n\r\nbody\r\n")))
}

// Nothing is forgotten: a new operation and a new error have goldens, or this fails.
func TestSuiteIsWhole(t *testing.T) {
	for name, calls := range map[string][]*call{"operations": operations(), "streams": streams()} {
		for _, op := range binding.Ops() {
			has := slices.ContainsFunc(calls, func(c *call) bool { return c.op == op })
			assert.True(t, has || name == "streams" && !op.Streaming, "%s has no %s", name, op)
		}
	}
	assert.Greater(t, len(failures()), len(errmap.Table()))
	for _, row := range errmap.Table() {
		assert.True(t, slices.ContainsFunc(failures(), func(c *call) bool { return binding.CodeOf(c.err) == row.Code }), row.Code)
	}
}
