package mqtt

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eclipse/paho.golang/paho"

	"github.com/a2awire/a2awire/binding"
)

// The user properties of this binding (SPEC.md, section 3).
const (
	propVersion       = binding.ParamVersion
	propExtensions    = binding.ParamExtensions
	propAuthorization = "a2a-authorization"
	propRequester     = "a2a-requester-agent-id"
	propResponder     = "a2a-responder-agent-id"
	propRequestID     = "a2a-request-id"
	propTimeout       = "a2a-timeout-ms"
	propMaxReply      = "a2a-max-reply-bytes"
	propWindow        = "a2a-stream-window" //nolint:gosec // not a credential
	propSeq           = "a2a-stream-seq"
	propEnd           = "a2a-stream-end"
	propHeartbeat     = "a2a-stream-heartbeat"
	propControl       = "a2a-control"
	propAck           = "a2a-stream-ack"
	propStatus        = "a2a-status"
	propStatusSource  = "a2a-status-source"
	propInstance      = "a2a-instance-id"
)

// The values of propEnd, propControl, propStatus and propStatusSource.
const (
	endOK    = "ok"
	endError = "error"

	controlCredit = "credit"
	controlResend = "resend"
	controlCancel = "cancel-stream"

	statusOnline  = "online"
	statusOffline = "offline"

	sourceAgent = "agent"
	sourceWill  = "lwt"
)

// own are the user properties that belong to the transport: never a service
// parameter, neither written for one nor read as one.
var own = map[string]bool{
	propAuthorization: true, propRequester: true, propResponder: true, propRequestID: true, propTimeout: true,
	propMaxReply: true, propWindow: true, propSeq: true, propEnd: true, propHeartbeat: true, propControl: true,
	propAck: true, propStatus: true, propStatusSource: true, propInstance: true,
	"a2a-context-id": true, "a2a-artifact-mode": true, "a2a-event-type": true, "a2a-task-id": true,
	"a2a-artifact-id": true, "a2a-chunk-seqno": true, "a2a-last-chunk": true, "a2a-security-profile": true,
	"a2a-recipient-agent-id": true, "a2a-recipient-kid": true,
}

// maxProperties is how many user properties of a packet are looked at. More of
// them are an attack, not a message.
const maxProperties = 512

// message is a PUBLISH, in either direction. What was received belongs to who
// holds it, and is not changed.
type message struct {
	topic       string
	response    string // Response Topic
	correlation string // Correlation Data, bytes
	content     string // Content Type
	expiry      uint32 // seconds, 0 for none
	retain      bool
	user        paho.UserProperties
	payload     []byte
}

// contentA2A is the Content Type of payloads.
const contentA2A = "application/a2a+json"

func received(p *paho.Publish) *message {
	m := &message{topic: p.Topic, retain: p.Retain, payload: p.Payload}
	if pp := p.Properties; pp != nil {
		m.response, m.correlation, m.content = pp.ResponseTopic, string(pp.CorrelationData), pp.ContentType
		m.user = pp.User[:min(len(pp.User), maxProperties)]
		if pp.MessageExpiry != nil {
			m.expiry = *pp.MessageExpiry
		}
	}
	return m
}

// publish is the message as a packet of QoS 1.
func (m *message) publish() *paho.Publish {
	text := byte(1)
	pp := &paho.PublishProperties{ResponseTopic: m.response, ContentType: m.content, User: m.user, PayloadFormat: &text}
	if m.correlation != "" {
		pp.CorrelationData = []byte(m.correlation)
	}
	if m.expiry > 0 {
		pp.MessageExpiry = &m.expiry
	}
	return &paho.Publish{QoS: 1, Topic: m.topic, Retain: m.retain, Payload: m.payload, Properties: pp}
}

// maxTextBytes bounds a text in a packet: its length has two bytes.
const maxTextBytes = 1<<16 - 1

// carried reports whether a broker takes a text: one that is too long would be
// cut, and one that is not UTF-8 or has control characters or noncharacters
// costs the connection (MQTT 5, 1.5.4).
func carried(s string) bool {
	if len(s) > maxTextBytes || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0xfdd0 && r <= 0xfdef || r&0xfffe == 0xfffe {
			return false
		}
	}
	return true
}

// check names the text that no broker takes. It does not show it: it may be a credential.
func (m *message) check() error {
	for i := range m.user {
		if !carried(m.user[i].Key) || !carried(m.user[i].Value) {
			return binding.InvalidField(m.user[i].Key, "is not text that MQTT carries: UTF-8 of at most %d bytes without control characters", maxTextBytes)
		}
	}
	return nil
}

// get is the value of a user property, "" when there is none. Keys are compared
// without case, in ASCII.
func (m *message) get(key string) string {
	for i := range m.user {
		if k := m.user[i].Key; len(k) == len(key) && strings.EqualFold(k, key) {
			return m.user[i].Value
		}
	}
	return ""
}

// number is the value of a user property that is a number.
func (m *message) number(key string) (uint64, bool) {
	v := m.get(key)
	if v == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(v, 10, 63)
	return n, err == nil
}

func (m *message) add(key, value string) {
	m.user = append(m.user, paho.UserProperty{Key: key, Value: value})
}

func (m *message) addNumber(key string, n uint64) { m.add(key, strconv.FormatUint(n, 10)) }

// addParams writes service parameters.
func (m *message) addParams(params binding.Params) {
	for k, v := range params {
		if !own[k] {
			m.add(k, v)
		}
	}
}

// params reads the service parameters.
func (m *message) params() binding.Params {
	p := make(binding.Params, 4)
	for i := range m.user {
		key := strings.ToLower(m.user[i].Key)
		if !own[key] && !binding.ReservedParam(key) {
			p.Add(key, m.user[i].Value)
		}
	}
	return p
}

// addDeadline writes how long the caller waits, and lets the broker drop what
// comes too late.
func (m *message) addDeadline(ctx context.Context, unbounded time.Duration) {
	left := unbounded
	if d, ok := ctx.Deadline(); ok {
		left = max(time.Until(d), time.Millisecond)
		m.addNumber(propTimeout, uint64((left+time.Millisecond-1)/time.Millisecond))
	}
	m.expiry = expiry(left)
}

// expiry is a time in whole seconds, rounded up, as Message Expiry Interval.
func expiry(d time.Duration) uint32 {
	const most = 24 * time.Hour
	return uint32((min(d, most) + time.Second - 1) / time.Second)
}
