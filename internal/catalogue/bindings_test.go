package catalogue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/internal/catalogue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEntries(t *testing.T) {
	names := map[string]bool{}
	for _, e := range catalogue.Entries() {
		assert.False(t, names[e.Name], e.Name)
		names[e.Name] = true
		assert.NotEmpty(t, e.Scheme)
	}
	assert.Len(t, catalogue.Registry(binding.Options{}).Bindings(), len(names))
}
