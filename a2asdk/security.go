package a2asdk

import (
	"reflect"

	"github.com/a2aproject/a2a-go/v2/a2a"
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
)

func toRequirement(r *pb.SecurityRequirement) a2a.SecurityRequirements {
	out := make(a2a.SecurityRequirements, len(r.GetSchemes()))
	for name, scopes := range r.GetSchemes() {
		out[a2a.SecuritySchemeName(name)] = stringsOf[string](scopes.GetList())
	}
	return out
}

func fromRequirement(r a2a.SecurityRequirements) *pb.SecurityRequirement {
	out := &pb.SecurityRequirement{Schemes: make(map[string]*pb.StringList, len(r))}
	for name, scopes := range r {
		out.Schemes[string(name)] = &pb.StringList{List: scopes}
	}
	return out
}

func toSchemes(in map[string]*pb.SecurityScheme) a2a.NamedSecuritySchemes {
	out := make(a2a.NamedSecuritySchemes, len(in))
	for name, s := range in {
		out[a2a.SecuritySchemeName(name)] = toScheme(s)
	}
	return out
}

func fromSchemes(in a2a.NamedSecuritySchemes) map[string]*pb.SecurityScheme {
	out := make(map[string]*pb.SecurityScheme, len(in))
	for name, s := range in {
		out[string(name)] = fromScheme(s)
	}
	return out
}

func toScheme(s *pb.SecurityScheme) a2a.SecurityScheme {
	switch s := s.GetScheme().(type) {
	case *pb.SecurityScheme_ApiKeySecurityScheme:
		x := s.ApiKeySecurityScheme
		return a2a.APIKeySecurityScheme{Name: x.GetName(), Location: a2a.APIKeySecuritySchemeLocation(x.GetLocation()), Description: x.GetDescription()}
	case *pb.SecurityScheme_HttpAuthSecurityScheme:
		x := s.HttpAuthSecurityScheme
		return a2a.HTTPAuthSecurityScheme{Scheme: x.GetScheme(), BearerFormat: x.GetBearerFormat(), Description: x.GetDescription()}
	case *pb.SecurityScheme_OpenIdConnectSecurityScheme:
		x := s.OpenIdConnectSecurityScheme
		return a2a.OpenIDConnectSecurityScheme{OpenIDConnectURL: x.GetOpenIdConnectUrl(), Description: x.GetDescription()}
	case *pb.SecurityScheme_MtlsSecurityScheme:
		return a2a.MutualTLSSecurityScheme{Description: s.MtlsSecurityScheme.GetDescription()}
	case *pb.SecurityScheme_Oauth2SecurityScheme:
		x := s.Oauth2SecurityScheme
		return a2a.OAuth2SecurityScheme{Flows: toFlows(x.GetFlows()), Oauth2MetadataURL: x.GetOauth2MetadataUrl(), Description: x.GetDescription()}
	}
	return nil
}

// dereferenced is the value behind a pointer, which satisfies the SDK's
// interfaces too, nil for a nil one, and otherwise the value itself.
func dereferenced[T any](x T) (value T) {
	v := reflect.ValueOf(x)
	if v.Kind() != reflect.Pointer {
		return x
	}
	if !v.IsNil() {
		value, _ = v.Elem().Interface().(T)
	}
	return value
}

func fromScheme(s a2a.SecurityScheme) *pb.SecurityScheme {
	switch s := dereferenced(s).(type) {
	case a2a.APIKeySecurityScheme:
		return &pb.SecurityScheme{Scheme: &pb.SecurityScheme_ApiKeySecurityScheme{ApiKeySecurityScheme: &pb.APIKeySecurityScheme{
			Name: s.Name, Location: string(s.Location), Description: s.Description,
		}}}
	case a2a.HTTPAuthSecurityScheme:
		return &pb.SecurityScheme{Scheme: &pb.SecurityScheme_HttpAuthSecurityScheme{HttpAuthSecurityScheme: &pb.HTTPAuthSecurityScheme{
			Scheme: s.Scheme, BearerFormat: s.BearerFormat, Description: s.Description,
		}}}
	case a2a.OpenIDConnectSecurityScheme:
		return &pb.SecurityScheme{Scheme: &pb.SecurityScheme_OpenIdConnectSecurityScheme{OpenIdConnectSecurityScheme: &pb.OpenIdConnectSecurityScheme{
			OpenIdConnectUrl: s.OpenIDConnectURL, Description: s.Description,
		}}}
	case a2a.MutualTLSSecurityScheme:
		return &pb.SecurityScheme{Scheme: &pb.SecurityScheme_MtlsSecurityScheme{MtlsSecurityScheme: &pb.MutualTlsSecurityScheme{
			Description: s.Description,
		}}}
	case a2a.OAuth2SecurityScheme:
		return &pb.SecurityScheme{Scheme: &pb.SecurityScheme_Oauth2SecurityScheme{Oauth2SecurityScheme: &pb.OAuth2SecurityScheme{
			Flows: fromFlows(s.Flows), Oauth2MetadataUrl: s.Oauth2MetadataURL, Description: s.Description,
		}}}
	}
	return &pb.SecurityScheme{}
}

// toFlows gives values: the SDK's JSON knows no pointers to flows.
func toFlows(f *pb.OAuthFlows) a2a.OAuthFlows {
	switch f := f.GetFlow().(type) {
	case *pb.OAuthFlows_AuthorizationCode:
		x := f.AuthorizationCode
		return a2a.AuthorizationCodeOAuthFlow{
			AuthorizationURL: x.GetAuthorizationUrl(), TokenURL: x.GetTokenUrl(), RefreshURL: x.GetRefreshUrl(),
			Scopes: x.GetScopes(), PKCERequired: x.GetPkceRequired(),
		}
	case *pb.OAuthFlows_ClientCredentials:
		x := f.ClientCredentials
		return a2a.ClientCredentialsOAuthFlow{TokenURL: x.GetTokenUrl(), RefreshURL: x.GetRefreshUrl(), Scopes: x.GetScopes()}
	case *pb.OAuthFlows_Implicit:
		x := f.Implicit
		return a2a.ImplicitOAuthFlow{AuthorizationURL: x.GetAuthorizationUrl(), RefreshURL: x.GetRefreshUrl(), Scopes: x.GetScopes()}
	case *pb.OAuthFlows_Password:
		x := f.Password
		return a2a.PasswordOAuthFlow{TokenURL: x.GetTokenUrl(), RefreshURL: x.GetRefreshUrl(), Scopes: x.GetScopes()}
	case *pb.OAuthFlows_DeviceCode:
		x := f.DeviceCode
		return a2a.DeviceCodeOAuthFlow{
			DeviceAuthorizationURL: x.GetDeviceAuthorizationUrl(), TokenURL: x.GetTokenUrl(), RefreshURL: x.GetRefreshUrl(), Scopes: x.GetScopes(),
		}
	}
	return nil
}

// fromFlows takes values, and pointers, which the SDK's own gRPC wants.
func fromFlows(f a2a.OAuthFlows) *pb.OAuthFlows {
	switch f := dereferenced(f).(type) {
	case a2a.AuthorizationCodeOAuthFlow:
		return &pb.OAuthFlows{Flow: &pb.OAuthFlows_AuthorizationCode{AuthorizationCode: &pb.AuthorizationCodeOAuthFlow{
			AuthorizationUrl: f.AuthorizationURL, TokenUrl: f.TokenURL, RefreshUrl: f.RefreshURL, Scopes: f.Scopes, PkceRequired: f.PKCERequired,
		}}}
	case a2a.ClientCredentialsOAuthFlow:
		return &pb.OAuthFlows{Flow: &pb.OAuthFlows_ClientCredentials{ClientCredentials: &pb.ClientCredentialsOAuthFlow{
			TokenUrl: f.TokenURL, RefreshUrl: f.RefreshURL, Scopes: f.Scopes,
		}}}
	case a2a.ImplicitOAuthFlow:
		return &pb.OAuthFlows{Flow: &pb.OAuthFlows_Implicit{Implicit: &pb.ImplicitOAuthFlow{
			AuthorizationUrl: f.AuthorizationURL, RefreshUrl: f.RefreshURL, Scopes: f.Scopes,
		}}}
	case a2a.PasswordOAuthFlow:
		return &pb.OAuthFlows{Flow: &pb.OAuthFlows_Password{Password: &pb.PasswordOAuthFlow{
			TokenUrl: f.TokenURL, RefreshUrl: f.RefreshURL, Scopes: f.Scopes,
		}}}
	case a2a.DeviceCodeOAuthFlow:
		return &pb.OAuthFlows{Flow: &pb.OAuthFlows_DeviceCode{DeviceCode: &pb.DeviceCodeOAuthFlow{
			DeviceAuthorizationUrl: f.DeviceAuthorizationURL, TokenUrl: f.TokenURL, RefreshUrl: f.RefreshURL, Scopes: f.Scopes,
		}}}
	}
	return &pb.OAuthFlows{}
}
