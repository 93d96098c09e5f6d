//go:build unix

// Command bench measures the bindings beside their floors: bare net/http,
// grpc-go and httputil.ReverseProxy carrying the same bytes in the same
// process. CPU is that of both sides, from the operating system; ratios within
// one run are what counts, since machines are noisy.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// load is something to measure. start makes it ready; op does it once.
type load struct {
	group string
	name  string
	start func() (op func(context.Context) error, stop func(), err error)
}

// sample is what one run of a load costs per operation.
type sample struct {
	cpu    time.Duration
	allocs float64
	bytes  float64
	rate   float64 // operations a second
}

func main() {
	d := flag.Duration("time", time.Second, "how long each run takes")
	rounds := flag.Int("rounds", 5, "runs of each load; the median counts")
	only := flag.String("only", "", "only groups whose name contains this")
	flag.Parse()
	if err := run(*d, *rounds, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(d time.Duration, rounds int, only string) error {
	fmt.Printf("%s, %d CPUs, %s each, median of %d rounds. CPU of both sides.\n", runtime.Version(), runtime.NumCPU(), d, rounds)
	var all []ratios
	for _, group := range groups(loads()) {
		if !strings.Contains(group[0].group, only) {
			continue
		}
		rows := make([]ratios, len(group))
		for i, callers := range callerCounts {
			if err := compare(group, callers, d, rounds, rows, i); err != nil {
				return err
			}
		}
		all = append(all, rows[1:]...)
	}
	if strings.Contains(sockets, only) {
		if err := errors.Join(idle(10_000), stalledOnSocket(rounds)); err != nil {
			return err
		}
	}
	if strings.Contains(crowded, only) {
		if err := errors.Join(flight(1000), stalledOnBroker(rounds)); err != nil {
			return err
		}
	}
	fmt.Printf("\nAgainst the floor of the same group%32s CPU, %d and %d callers   allocations         a second\n", "", callerCounts[0], callerCounts[1])
	for _, r := range all {
		fmt.Printf("  %-38s %-26s %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f\n", r.group, r.name, r.cpu[0], r.cpu[1], r.allocs[0], r.allocs[1], r.rate[0], r.rate[1])
	}
	return nil
}

// crowded names what is measured of many calls at the same time.
const crowded = "MQTT, many calls"

// sockets names what is measured of connections beside the loads.
const sockets = "WebSocket connections"

// callerCounts are how many callers each load is run with.
var callerCounts = [2]int{1, 32}

// ratios are a load's costs against its floor.
type ratios struct {
	group, name string
	cpu, rate   [len(callerCounts)]float64
	allocs      [len(callerCounts)]float64
}

func groups(all []load) [][]load {
	var out [][]load
	for _, l := range all {
		if n := len(out); n > 0 && out[n-1][0].group == l.group {
			out[n-1] = append(out[n-1], l)
			continue
		}
		out = append(out, []load{l})
	}
	return out
}

// compare measures the loads of a group in turns, so that a noisy minute hits
// them alike. The first is the floor.
func compare(group []load, callers int, d time.Duration, rounds int, rows []ratios, column int) error {
	samples := make([][]sample, len(group))
	for range rounds {
		for i, l := range group {
			s, err := measure(l, callers, d)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", l.group, l.name, err)
			}
			samples[i] = append(samples[i], s)
		}
	}
	fmt.Printf("\n%s, %d callers\n  %-26s %12s %8s %12s %8s %12s %12s\n", group[0].group, callers, "", "CPU", "ratio", "allocations", "ratio", "bytes", "a second")
	floor := median(samples[0])
	for i, l := range group {
		m := median(samples[i])
		rows[i].group, rows[i].name = l.group, l.name
		rows[i].cpu[column] = ratio(samples, i, func(s sample) float64 { return float64(s.cpu) })
		rows[i].rate[column] = ratio(samples, i, func(s sample) float64 { return s.rate })
		rows[i].allocs[column] = m.allocs / floor.allocs
		fmt.Printf("  %-26s %12s %8.2f %12.0f %8.2f %12.0f %12.0f\n", l.name, m.cpu.Round(100*time.Nanosecond),
			rows[i].cpu[column], m.allocs, rows[i].allocs[column], m.bytes, m.rate)
	}
	return nil
}

// ratio is the median of the rounds' ratios.
func ratio(samples [][]sample, i int, of func(sample) float64) float64 {
	var rs []float64
	for round := range samples[i] {
		rs = append(rs, of(samples[i][round])/of(samples[0][round]))
	}
	slices.Sort(rs)
	return rs[len(rs)/2]
}

func median(ss []sample) sample {
	ss = slices.Clone(ss)
	slices.SortFunc(ss, func(a, b sample) int { return int(a.cpu - b.cpu) })
	return ss[len(ss)/2]
}

func measure(l load, callers int, d time.Duration) (sample, error) {
	op, stop, err := l.start()
	if err != nil {
		return sample{}, err
	}
	defer stop()
	// What is lost is an error, and nothing to wait for.
	ctx, cancel := context.WithTimeout(context.Background(), 10*d+5*time.Minute)
	defer cancel()
	if _, err := drive(ctx, op, callers, d/5); err != nil { // warm: connections, pools
		return sample{}, err
	}
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, began := cpuTime(), time.Now()
	n, err := drive(ctx, op, callers, d)
	if err != nil {
		return sample{}, err
	}
	cpu, took := cpuTime()-cpu, time.Since(began)
	runtime.ReadMemStats(&after)
	return sample{
		cpu:    cpu / time.Duration(n),
		allocs: float64(after.Mallocs-before.Mallocs) / float64(n),
		bytes:  float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
		rate:   float64(n) / took.Seconds(),
	}, nil
}

// drive runs op from some callers until time is up, and is how often it ran.
func drive(ctx context.Context, op func(context.Context) error, callers int, d time.Duration) (int64, error) {
	end := time.Now().Add(d)
	var n atomic.Int64
	var first atomic.Pointer[error]
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for first.Load() == nil && time.Now().Before(end) {
				if err := op(ctx); err != nil {
					first.CompareAndSwap(nil, &err)
					return
				}
				n.Add(1)
			}
		})
	}
	wg.Wait()
	if err := first.Load(); err != nil {
		return 0, *err
	}
	return max(n.Load(), 1), nil
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
