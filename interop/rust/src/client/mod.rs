//! The conversations of the SDK's client, and what they share.

pub mod full;
mod report;
pub mod request;
pub mod strict;

use std::sync::Arc;

use a2a::{A2AError, AgentCard, SVC_PARAM_EXTENSIONS, SVC_PARAM_VERSION};
use a2a_client::agent_card::AgentCardResolver;
use a2a_client::jsonrpc::JsonRpcTransportFactory;
use a2a_client::middleware::CallInterceptor;
use a2a_client::rest::RestTransportFactory;
use a2a_client::{A2AClient, A2AClientFactory, ServiceParams, Transport};
use a2a_grpc::GrpcTransportFactory;
use async_trait::async_trait;

pub type Client = A2AClient<Box<dyn Transport>>;

/// A conversation over one transport.
pub struct Talk {
    pub card: AgentCard,
    pub client: Client,
    transport: String,
}

impl Talk {
    pub async fn new(url: &str, transport: &str) -> Result<Self, A2AError> {
        let card = AgentCardResolver::new(None).resolve(url).await?;
        let client = connect(&card, transport, vec![]).await?;
        Ok(Self {
            card,
            client,
            transport: transport.into(),
        })
    }

    /// Another client of the same agent, whose calls name extensions.
    pub async fn naming(&self, uris: &[&str]) -> Client {
        self.with(SVC_PARAM_EXTENSIONS, uris).await
    }

    /// Another client of the same agent, whose calls claim a version.
    pub async fn claiming(&self, version: &str) -> Client {
        self.with(SVC_PARAM_VERSION, &[version]).await
    }

    /// The SDK's calls take no service parameters: its interceptors set them.
    async fn with(&self, param: &'static str, values: &[&str]) -> Client {
        let values = values.iter().map(|&v| v.into()).collect();
        let set: Arc<dyn CallInterceptor> = Arc::new(Set { param, values });
        connect(&self.card, &self.transport, vec![set])
            .await
            .expect("another client of the agent")
    }
}

async fn connect(
    card: &AgentCard,
    transport: &str,
    interceptors: Vec<Arc<dyn CallInterceptor>>,
) -> Result<Client, A2AError> {
    let builder = A2AClientFactory::builder().no_defaults();
    let builder = match transport {
        "jsonrpc" => builder.register(Arc::new(JsonRpcTransportFactory::new(None))),
        "rest" => builder.register(Arc::new(RestTransportFactory::new(None))),
        "grpc" => builder.register(Arc::new(GrpcTransportFactory::new())),
        _ => panic!("no transport {transport}"),
    };
    let builder = interceptors
        .into_iter()
        .fold(builder, |b, i| b.with_interceptor(i));
    builder.build().create_from_card(card).await
}

/// Sets a service parameter of every call.
struct Set {
    param: &'static str,
    values: Vec<String>,
}

#[async_trait]
impl CallInterceptor for Set {
    async fn before(&self, _method: &str, params: &mut ServiceParams) -> Result<(), A2AError> {
        params.insert(self.param.into(), self.values.clone());
        Ok(())
    }
}
