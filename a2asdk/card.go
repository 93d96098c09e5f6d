package a2asdk

import (
	"github.com/a2aproject/a2a-go/v2/a2a"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

// ToCard is an Agent Card in the SDK's types, nil for nil.
func ToCard(c *pb.AgentCard) *a2a.AgentCard {
	if c == nil {
		return nil
	}
	out := &a2a.AgentCard{
		Name:                 c.GetName(),
		Description:          c.GetDescription(),
		Version:              c.GetVersion(),
		DocumentationURL:     c.GetDocumentationUrl(),
		IconURL:              c.GetIconUrl(),
		SupportedInterfaces:  list(c.GetSupportedInterfaces(), toInterface),
		DefaultInputModes:    stringsOf[string](c.GetDefaultInputModes()),
		DefaultOutputModes:   stringsOf[string](c.GetDefaultOutputModes()),
		Skills:               list(c.GetSkills(), toSkill),
		Signatures:           list(c.GetSignatures(), toSignature),
		SecuritySchemes:      toSchemes(c.GetSecuritySchemes()),
		SecurityRequirements: list(c.GetSecurityRequirements(), toRequirement),
		Capabilities: a2a.AgentCapabilities{
			Streaming:         c.GetCapabilities().GetStreaming(),
			PushNotifications: c.GetCapabilities().GetPushNotifications(),
			ExtendedAgentCard: c.GetCapabilities().GetExtendedAgentCard(),
			Extensions:        list(c.GetCapabilities().GetExtensions(), toExtension),
		},
	}
	if p := c.GetProvider(); p != nil {
		out.Provider = &a2a.AgentProvider{Org: p.GetOrganization(), URL: p.GetUrl()}
	}
	return out
}

// FromCard is an Agent Card of the SDK, nil for nil: for Options.Card, which
// has every binding check what the card declares (spec 3.3.4).
func FromCard(c *a2a.AgentCard) *pb.AgentCard {
	if c == nil {
		return nil
	}
	out := &pb.AgentCard{
		Name:                 c.Name,
		Description:          c.Description,
		Version:              c.Version,
		DocumentationUrl:     given(c.DocumentationURL),
		IconUrl:              given(c.IconURL),
		SupportedInterfaces:  list(c.SupportedInterfaces, fromInterface),
		DefaultInputModes:    c.DefaultInputModes,
		DefaultOutputModes:   c.DefaultOutputModes,
		Skills:               list(c.Skills, fromSkill),
		Signatures:           list(c.Signatures, fromSignature),
		SecuritySchemes:      fromSchemes(c.SecuritySchemes),
		SecurityRequirements: list(c.SecurityRequirements, fromRequirement),
		Capabilities: &pb.AgentCapabilities{
			Streaming:         given(c.Capabilities.Streaming),
			PushNotifications: given(c.Capabilities.PushNotifications),
			ExtendedAgentCard: given(c.Capabilities.ExtendedAgentCard),
			Extensions:        list(c.Capabilities.Extensions, fromExtension),
		},
	}
	if p := c.Provider; p != nil {
		out.Provider = &pb.AgentProvider{Organization: p.Org, Url: p.URL}
	}
	return out
}

// given is an optional field: the zero value is an unset one.
func given[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func toInterface(i *pb.AgentInterface) *a2a.AgentInterface {
	return &a2a.AgentInterface{
		URL:             i.GetUrl(),
		ProtocolBinding: a2a.TransportProtocol(i.GetProtocolBinding()),
		ProtocolVersion: a2a.ProtocolVersion(i.GetProtocolVersion()),
		Tenant:          i.GetTenant(),
	}
}

func fromInterface(i *a2a.AgentInterface) *pb.AgentInterface {
	if i == nil {
		return &pb.AgentInterface{}
	}
	return &pb.AgentInterface{
		Url:             i.URL,
		ProtocolBinding: string(i.ProtocolBinding),
		ProtocolVersion: string(i.ProtocolVersion),
		Tenant:          i.Tenant,
	}
}

func toExtension(x *pb.AgentExtension) a2a.AgentExtension {
	return a2a.AgentExtension{URI: x.GetUri(), Description: x.GetDescription(), Required: x.GetRequired(), Params: toMap(x.GetParams())}
}

func fromExtension(x a2a.AgentExtension) *pb.AgentExtension {
	return &pb.AgentExtension{Uri: x.URI, Description: x.Description, Required: x.Required, Params: fromMap(x.Params)}
}

func toSkill(s *pb.AgentSkill) a2a.AgentSkill {
	return a2a.AgentSkill{
		ID:                   s.GetId(),
		Name:                 s.GetName(),
		Description:          s.GetDescription(),
		Tags:                 stringsOf[string](s.GetTags()),
		Examples:             s.GetExamples(),
		InputModes:           s.GetInputModes(),
		OutputModes:          s.GetOutputModes(),
		SecurityRequirements: list(s.GetSecurityRequirements(), toRequirement),
	}
}

func fromSkill(s a2a.AgentSkill) *pb.AgentSkill {
	return &pb.AgentSkill{
		Id:                   s.ID,
		Name:                 s.Name,
		Description:          s.Description,
		Tags:                 s.Tags,
		Examples:             s.Examples,
		InputModes:           s.InputModes,
		OutputModes:          s.OutputModes,
		SecurityRequirements: list(s.SecurityRequirements, fromRequirement),
	}
}

func toSignature(s *pb.AgentCardSignature) a2a.AgentCardSignature {
	return a2a.AgentCardSignature{Protected: s.GetProtected(), Signature: s.GetSignature(), Header: toMap(s.GetHeader())}
}

func fromSignature(s a2a.AgentCardSignature) *pb.AgentCardSignature {
	return &pb.AgentCardSignature{Protected: s.Protected, Signature: s.Signature, Header: fromMap(s.Header)}
}
