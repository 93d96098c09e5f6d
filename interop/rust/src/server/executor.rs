//! The agent behind the SDK's server: the commands of the reference agent that
//! the SDK leaves an agent the means for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use a2a::{Part, TaskState};
use a2a_client::BoxStream;
use a2a_server::{AgentExecutor, ExecutorContext};
use futures::{StreamExt, stream};
use serde_json::json;
use tokio::sync::Notify;

use super::turn::{Event, Turn};

#[derive(Default)]
pub struct Executor {
    /// By task, what ends the wait of a long one.
    waits: Arc<Mutex<HashMap<String, Arc<Notify>>>>,
}

impl AgentExecutor for Executor {
    fn execute(&self, ctx: ExecutorContext) -> BoxStream<'static, Event> {
        let turn = Turn::of(&ctx);
        let text = ctx
            .message
            .as_ref()
            .and_then(|m| m.text())
            .unwrap_or_default();
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        // A new task is a stored one too, unless it was asked for with a stream.
        let waiting = ctx
            .stored_task
            .clone()
            .filter(|t| t.status.state == TaskState::InputRequired);
        let events = match (waiting, word) {
            (Some(task), _) => turn.answered(task, ctx.message.as_ref().expect("a message")),
            (_, "message") => vec![turn.message(rest)],
            (_, "stream") => turn.work(&ctx, chunks(&turn, rest.parse().unwrap_or(1))),
            (_, "mirror") => turn.work(&ctx, vec![turn.artifact(mirror(&ctx), false, true)]),
            (_, "fail") => turn.stop(&ctx, TaskState::Failed, "It failed, as asked."),
            (_, "reject") => turn.stop(&ctx, TaskState::Rejected, "It was rejected, as asked."),
            (_, "input") => turn.stop(&ctx, TaskState::InputRequired, "What shall it be?"),
            (_, "long") => return self.long(&ctx, turn, rest.parse().unwrap_or(1)),
            _ => turn.work(
                &ctx,
                vec![turn.artifact(Part::text(format!("echo: {text}")), false, true)],
            ),
        };
        stream::iter(events).boxed()
    }

    fn cancel(&self, ctx: ExecutorContext) -> BoxStream<'static, Event> {
        if let Some(wait) = self.waits.lock().expect("the waits").remove(&ctx.task_id) {
            wait.notify_one();
        }
        stream::iter([Turn::of(&ctx).status(TaskState::Canceled, None)]).boxed()
    }
}

impl Executor {
    /// A task that works for some time, or until it is canceled. The event that tells of
    /// that is cancel's.
    fn long(&self, ctx: &ExecutorContext, turn: Turn, seconds: u64) -> BoxStream<'static, Event> {
        let wait = Arc::new(Notify::new());
        self.waits
            .lock()
            .expect("the waits")
            .insert(ctx.task_id.clone(), wait.clone());
        let begin = turn.begin(ctx);
        let end = async move {
            tokio::select! {
                () = tokio::time::sleep(Duration::from_secs(seconds)) => Some(turn.status(TaskState::Completed, None)),
                () = wait.notified() => None,
            }
        };
        stream::iter(begin)
            .chain(stream::once(end).filter_map(std::future::ready))
            .boxed()
    }
}

fn chunks(turn: &Turn, n: usize) -> Vec<Event> {
    (1..=n)
        .map(|i| turn.artifact(Part::text(format!("chunk {i}")), i > 1, i == n))
        .collect()
}

/// What came of a request, as far as the SDK tells.
fn mirror(ctx: &ExecutorContext) -> Part {
    let extensions = ctx
        .service_params
        .get("a2a-extensions")
        .map(|all| all.join(", "));
    Part::data(json!({
        "params": {"message": ctx.message},
        "tenant": ctx.tenant,
        "metadata": ctx.metadata,
        "serviceParameters": {"a2a-extensions": extensions.unwrap_or_default()},
    }))
}
