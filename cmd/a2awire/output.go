package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/a2awire/a2awire/binding"
	"github.com/a2awire/a2awire/errmap"
)

// printer writes for people or, by its value methods, for machines.
type printer struct {
	w     io.Writer
	color bool
}

func newPrinter(w io.Writer) *printer {
	f, ok := w.(*os.File)
	color := false
	if ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		if st, err := f.Stat(); err == nil {
			color = st.Mode()&os.ModeCharDevice != 0
		}
	}
	return &printer{w: w, color: color}
}

func (p *printer) line(format string, args ...any) {
	_, _ = fmt.Fprintf(p.w, format+"\n", args...)
}

// value prints any value as one line of JSON.
func (p *printer) value(v any) error {
	return json.NewEncoder(p.w).Encode(v)
}

// message prints a message of the data model as one line of ProtoJSON.
func (p *printer) message(m proto.Message) error {
	b, err := binding.MessagePayload(m).JSON()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.w, "%s\n", b)
	return err
}

// err prints an error as one line of JSON, as JSON-RPC has it.
func (p *printer) err(e *binding.Error) {
	_, _ = fmt.Fprintf(p.w, "{\"error\":%s}\n", errmap.AppendJSONRPC(nil, e))
}

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

func (p *printer) paint(code, s string) string {
	if !p.color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

var stateColors = map[pb.TaskState]string{
	pb.TaskState_TASK_STATE_COMPLETED: green, pb.TaskState_TASK_STATE_FAILED: red,
	pb.TaskState_TASK_STATE_REJECTED: red, pb.TaskState_TASK_STATE_CANCELED: yellow,
	pb.TaskState_TASK_STATE_INPUT_REQUIRED: cyan, pb.TaskState_TASK_STATE_AUTH_REQUIRED: cyan,
}

func (p *printer) state(s pb.TaskState) string {
	name := strings.TrimPrefix(s.String(), "TASK_STATE_")
	return p.paint(stateColors[s], name)
}

// safe is an agent's text without what could steer a terminal.
func safe(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) || unicode.IsSpace(r) && r > 0xff {
			return r
		}
		return '\uFFFD'
	}, s)
}

func partText(part *pb.Part) string {
	switch c := part.GetContent().(type) {
	case *pb.Part_Text:
		return safe(c.Text)
	case *pb.Part_Url:
		return safe(c.Url)
	case *pb.Part_Raw:
		return fmt.Sprintf("[%d bytes %s]", len(c.Raw), safe(strings.TrimSpace(part.GetFilename()+" "+part.GetMediaType())))
	case *pb.Part_Data:
		b, err := binding.MessagePayload(c.Data).JSON()
		if err != nil {
			return "[data]"
		}
		return safe(string(b))
	}
	return ""
}

func partsText(parts []*pb.Part) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = partText(part)
	}
	return strings.Join(texts, " ")
}

func (p *printer) task(t *pb.Task) {
	p.line("%s %s  %s", p.paint(bold, "task"), safe(t.GetId()), p.state(t.GetStatus().GetState()))
	p.line("  %s %s", p.paint(dim, "context"), safe(t.GetContextId()))
	if m := t.GetStatus().GetMessage(); m != nil {
		p.line("  %s", partsText(m.GetParts()))
	}
	for _, a := range t.GetArtifacts() {
		p.artifact(a)
	}
}

func (p *printer) artifact(a *pb.Artifact) {
	name := a.GetName()
	if name == "" {
		name = a.GetArtifactId()
	}
	p.line("  %s %s", p.paint(dim, "artifact "+safe(name)+":"), partsText(a.GetParts()))
}

// event prints one event of a stream, as it arrives.
func (p *printer) event(ev *pb.StreamResponse) {
	switch x := ev.GetPayload().(type) {
	case *pb.StreamResponse_Task:
		p.task(x.Task)
	case *pb.StreamResponse_Message:
		p.line("%s %s", p.paint(bold, "message"), partsText(x.Message.GetParts()))
	case *pb.StreamResponse_StatusUpdate:
		s := x.StatusUpdate.GetStatus()
		text := p.state(s.GetState())
		if m := s.GetMessage(); m != nil {
			text += "  " + partsText(m.GetParts())
		}
		p.line("  %s", text)
	case *pb.StreamResponse_ArtifactUpdate:
		p.artifact(x.ArtifactUpdate.GetArtifact())
	}
}

func (p *printer) card(c *pb.AgentCard) {
	p.line("%s %s", p.paint(bold, safe(c.GetName())), safe(c.GetVersion()))
	if c.GetDescription() != "" {
		p.line("  %s", safe(c.GetDescription()))
	}
	for _, i := range c.GetSupportedInterfaces() {
		tenant := ""
		if i.GetTenant() != "" {
			tenant = "  tenant " + safe(i.GetTenant())
		}
		p.line("  %s %s  %s%s", p.paint(cyan, safe(i.GetProtocolBinding())), safe(i.GetProtocolVersion()), safe(i.GetUrl()), tenant)
	}
	caps := c.GetCapabilities()
	p.line("  %s streaming %s, push notifications %s, extended card %s", p.paint(dim, "can:"),
		yesNo(caps.GetStreaming()), yesNo(caps.GetPushNotifications()), yesNo(caps.GetExtendedAgentCard()))
	for _, x := range caps.GetExtensions() {
		required := ""
		if x.GetRequired() {
			required = " (required)"
		}
		p.line("  %s %s%s", p.paint(dim, "extension"), safe(x.GetUri()), required)
	}
	for _, s := range c.GetSkills() {
		p.line("  %s %s: %s", p.paint(dim, "skill"), safe(s.GetName()), safe(s.GetDescription()))
	}
	if len(c.GetSignatures()) > 0 {
		p.line("  %s %d, not verified", p.paint(dim, "signatures:"), len(c.GetSignatures()))
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
