package equivalence

import (
	"slices"
	"strings"
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
)

// Scenario is a scripted agent and a client's conversation with it. It holds
// no state: it may be run any number of times.
type Scenario struct {
	// Name is group/name, unique.
	Name string
	// Section is the part of the specification that the scenario shows.
	Section string
	// Rule says in a sentence what must hold.
	Rule string
	// Timeout replaces the watchdog's for this scenario. 0 keeps it.
	Timeout time.Duration

	// card changes the full card that the agent is served with.
	card func(*pb.AgentCard)
	// concurrent scenarios have no order between calls: logs are sorted by call.
	concurrent bool
	// verdict scenarios do not say which side refuses a request.
	verdict bool
	// timed scenarios depend on the clock: their logs are not compared.
	timed bool
	// play makes the agent and the conversation of one run.
	play func(*play)
}

// Group is the part of the name before the slash.
func (s Scenario) Group() string {
	group, _, _ := strings.Cut(s.Name, "/")
	return group
}

// play is one run's agent and conversation; what they share are the variables
// of the function that fills it.
type play struct {
	// answer is the agent's side of operations with one answer.
	answer func(*visit) (proto.Message, error)
	// stream is the agent's side of streams. It emits events until emit is
	// false, and ends the stream by returning.
	stream func(v *visit, emit func(*pb.StreamResponse) bool) error
	// client is the conversation.
	client func(*talk)
}

// Scenarios are all scenarios, in the order in which they run.
func Scenarios() []Scenario {
	return slices.Concat(
		operationScenarios(), presenceScenarios(), identifierScenarios(),
		streamScenarios(), streamRuleScenarios(),
		errorScenarios(), detailScenarios(),
		parameterScenarios(), refusedParameterScenarios(),
		payloadScenarios(), dataScenarios(), limitScenarios(),
		requiredScenarios(), tenantScenarios(), versionScenarios(), capabilityScenarios(),
		deadlineScenarios(), concurrencyScenarios(), closeScenarios(), isolationScenarios(), resumeScenarios(),
	)
}
