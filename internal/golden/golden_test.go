package golden

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStable(t *testing.T) {
	assert.Equal(t, "POST / HTTP/1.1\nA: 1\nB: 2\n\nbody\r\n",
		stable([]byte("POST / HTTP/1.1\r\nHost: x\r\nB: 2\r\nContent-Length: 6\r\nA: 1\r\nDate: now\r\n\r\nbody\r\n")))
}
