//! What a conversation prints: {"step", "ok": true, "result"}, or {"step",
//! "error": {"reason", "code", "message", "metadata"}, "result"} with the events
//! of a stream before it failed. Results are ProtoJSON, as the SDK writes it.

use std::future::Future;
use std::time::Duration;

use a2a::{A2AError, StreamResponse, error_reason, errordetails};
use a2a_client::BoxStream;
use a2a_pb::protojson_conv::{ProtoJsonPayload, to_value};
use futures::StreamExt;
use serde_json::{Value, json};

use super::Talk;

/// How long one call may take.
const PATIENCE: Duration = Duration::from_secs(15);

type Events = BoxStream<'static, Result<StreamResponse, A2AError>>;

/// Whether a stream is read on.
pub enum Then {
    GoOn,
    Leave,
}

impl Talk {
    /// Holds a step whose answer is a message, and gives that to the next ones.
    pub async fn step<T: ProtoJsonPayload>(
        &self,
        name: &str,
        call: impl Future<Output = Result<T, A2AError>>,
    ) -> Option<T> {
        let answer = within(call).await;
        self.value(name, answer.as_ref().map(proto_json).map_err(Clone::clone));
        answer.ok()
    }

    /// Takes down a step whose answer is JSON already.
    pub fn value(&self, name: &str, answer: Result<Value, A2AError>) {
        match answer {
            Ok(result) => println!("{}", json!({"step": name, "ok": true, "result": result})),
            Err(e) => println!("{}", json!({"step": name, "error": self.describe(&e)})),
        }
    }

    /// Holds a step whose answer is a stream, and calls each(event, how many there are).
    pub async fn stream(
        &self,
        name: &str,
        open: impl Future<Output = Result<Events, A2AError>>,
        mut each: impl AsyncFnMut(&StreamResponse, usize) -> Then,
    ) {
        let mut events = vec![];
        let drained = async {
            let mut stream = open.await?;
            while let Some(event) = stream.next().await {
                let event = event?;
                events.push(proto_json(&event));
                if let Then::Leave = each(&event, events.len()).await {
                    break;
                }
            }
            Ok(())
        };
        match within(drained).await {
            Ok(()) => self.value(name, Ok(Value::Array(events))),
            Err(e) => println!(
                "{}",
                json!({"step": name, "error": self.describe(&e), "result": events})
            ),
        }
    }

    /// An error of the SDK, which has JSON-RPC's codes for those of all transports.
    fn describe(&self, e: &A2AError) -> Value {
        let info = e
            .details
            .iter()
            .flatten()
            .find(|d| d.type_url == errordetails::ERROR_INFO_TYPE);
        json!({
            "reason": error_reason(e.code),
            "code": if self.transport == "jsonrpc" { e.code } else { 0 },
            "message": e.message,
            "metadata": info.and_then(|d| d.value.get("metadata")),
        })
    }
}

/// Reads a stream to its end.
pub async fn all(_: &StreamResponse, _: usize) -> Then {
    Then::GoOn
}

pub async fn within<T>(call: impl Future<Output = Result<T, A2AError>>) -> Result<T, A2AError> {
    match tokio::time::timeout(PATIENCE, call).await {
        Ok(answer) => answer,
        Err(_) => Err(A2AError::internal("the call took too long")),
    }
}

pub fn proto_json<T: ProtoJsonPayload>(message: &T) -> Value {
    to_value(message).expect("ProtoJSON of a message")
}
