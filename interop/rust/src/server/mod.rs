//! An agent on the SDK's server, over JSON-RPC, HTTP+JSON and gRPC at free
//! loopback ports.

mod executor;
mod turn;

use std::sync::Arc;

use a2a::{
    AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill,
    TRANSPORT_PROTOCOL_GRPC, TRANSPORT_PROTOCOL_HTTP_JSON, TRANSPORT_PROTOCOL_JSONRPC,
};
use a2a_grpc::GrpcHandler;
use a2a_pb::proto::a2a_service_server::A2aServiceServer;
use a2a_server::agent_card::agent_card_router;
use a2a_server::jsonrpc::jsonrpc_router;
use a2a_server::rest::rest_router;
use a2a_server::{
    DefaultRequestHandler, InMemoryPushConfigStore, InMemoryTaskStore, StaticAgentCard,
};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use executor::Executor;

/// Serves the agent full or strict, and gives the URL whose well-known path has its card.
pub async fn serve(name: &str) -> std::io::Result<String> {
    let web = TcpListener::bind("127.0.0.1:0").await?;
    let rpc = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", web.local_addr()?);
    let card = AgentCard {
        name: name.into(),
        description: "An agent on the official Rust SDK.".into(),
        version: "1.0.0".into(),
        supported_interfaces: vec![
            AgentInterface::new(format!("{url}/jsonrpc"), TRANSPORT_PROTOCOL_JSONRPC),
            AgentInterface::new(format!("{url}/rest"), TRANSPORT_PROTOCOL_HTTP_JSON),
            AgentInterface::new(rpc.local_addr()?.to_string(), TRANSPORT_PROTOCOL_GRPC),
        ],
        capabilities: capabilities(name),
        default_input_modes: vec!["text/plain".into(), "application/json".into()],
        default_output_modes: vec!["text/plain".into()],
        skills: vec![skill("echo")],
        provider: None,
        documentation_url: None,
        icon_url: None,
        security_schemes: None,
        security_requirements: None,
        signatures: None,
    };
    let mut handler = DefaultRequestHandler::new(Executor::default(), InMemoryTaskStore::new());
    if name == "full" {
        let extended = AgentCard {
            skills: vec![skill("echo"), skill("more")],
            ..card.clone()
        };
        handler = handler
            .with_push_config_store(InMemoryPushConfigStore::new())
            .with_extended_agent_card(extended);
    }
    let handler = Arc::new(handler.with_capabilities(card.capabilities.clone()));

    let pages = axum::Router::new()
        .nest("/jsonrpc", jsonrpc_router(handler.clone()))
        .nest("/rest", rest_router(handler.clone()))
        .merge(agent_card_router(Arc::new(StaticAgentCard::new(card))));
    tokio::spawn(async move { axum::serve(web, pages).await });
    let service = A2aServiceServer::new(GrpcHandler::new(handler));
    tokio::spawn(
        Server::builder()
            .add_service(service)
            .serve_with_incoming(TcpIncoming::from(rpc)),
    );
    Ok(url)
}

/// What the cards of the two agents say. What an agent does not have is left out, which says no as well (spec 3.3.4).
fn capabilities(name: &str) -> AgentCapabilities {
    let can = (name == "full").then_some(true);
    let extensions = match name {
        "full" => vec![
            extension("https://ext.example/geo", None),
            extension("https://ext.example/cite", None),
        ],
        _ => vec![extension("https://ext.example/required", Some(true))],
    };
    AgentCapabilities {
        streaming: can,
        push_notifications: can,
        extensions: Some(extensions),
        extended_agent_card: can,
    }
}

fn extension(uri: &str, required: Option<bool>) -> AgentExtension {
    AgentExtension {
        uri: uri.into(),
        description: None,
        required,
        params: None,
    }
}

fn skill(id: &str) -> AgentSkill {
    AgentSkill {
        id: id.into(),
        name: id.into(),
        description: id.into(),
        tags: vec!["test".into()],
        examples: None,
        input_modes: None,
        output_modes: None,
        security_requirements: None,
    }
}
