//go:build interop && unix

package leg

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"syscall"
)

// alone runs an installation while no other test's runs for the same folder:
// tests of several packages run at the same time, and share what is installed.
func alone(dir string, install func() error) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	cache = filepath.Join(cache, "a2awire")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(dir))
	f, err := os.OpenFile(filepath.Join(cache, fmt.Sprintf("%x.lock", h.Sum64())), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(install(), f.Close()) // which unlocks it
}
