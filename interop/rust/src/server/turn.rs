//! One turn of a task, as the events that the SDK wants of an executor.

use a2a::{
    A2AError, Artifact, Message, Part, Role, StreamResponse, Task, TaskArtifactUpdateEvent,
    TaskState, TaskStatus, TaskStatusUpdateEvent,
};
use a2a_server::ExecutorContext;

/// An event, or the error that ends the turn.
pub type Event = Result<StreamResponse, A2AError>;

/// Where the events of a turn belong.
#[derive(Clone)]
pub struct Turn {
    task: String,
    context: String,
}

impl Turn {
    pub fn of(ctx: &ExecutorContext) -> Self {
        Self {
            task: ctx.task_id.clone(),
            context: ctx.context_id.clone(),
        }
    }

    /// A task that is working, until the events that make() gives.
    pub fn work(&self, ctx: &ExecutorContext, make: Vec<Event>) -> Vec<Event> {
        let mut events = self.begin(ctx);
        events.extend(make);
        events.push(self.status(TaskState::Completed, None));
        events
    }

    /// A task that stops in a state, and says why.
    pub fn stop(&self, ctx: &ExecutorContext, state: TaskState, text: &str) -> Vec<Event> {
        let mut events = self.begin(ctx);
        events.push(self.status(state, Some(text)));
        events
    }

    /// A new task that works.
    pub fn begin(&self, ctx: &ExecutorContext) -> Vec<Event> {
        let status = TaskStatus {
            state: TaskState::Submitted,
            message: None,
            timestamp: Some(chrono::Utc::now()),
        };
        let task = Task {
            id: self.task.clone(),
            context_id: self.context.clone(),
            status,
            artifacts: None,
            history: Some(ctx.message.iter().cloned().collect()),
            metadata: None,
        };
        vec![
            Ok(StreamResponse::Task(task)),
            self.status(TaskState::Working, None),
        ]
    }

    /// The answer to what a task waits for. That which it said of it would be gone: the SDK
    /// leaves the history to executors, but for messages of the caller.
    pub fn answered(&self, mut task: Task, answer: &Message) -> Vec<Event> {
        let history = task.history.get_or_insert_default();
        history.retain(|m| m.message_id != answer.message_id);
        history.extend(task.status.message.take());
        history.push(answer.clone());
        let text = format!("got: {}", answer.text().unwrap_or_default());
        vec![
            Ok(StreamResponse::Task(task)),
            self.artifact(Part::text(text), false, true),
            self.status(TaskState::Completed, None),
        ]
    }

    pub fn status(&self, state: TaskState, text: Option<&str>) -> Event {
        let message = text.map(|text| Message {
            task_id: Some(self.task.clone()),
            context_id: Some(self.context.clone()),
            ..Message::new(Role::Agent, vec![Part::text(text)])
        });
        Ok(StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
            task_id: self.task.clone(),
            context_id: self.context.clone(),
            status: TaskStatus {
                state,
                message,
                timestamp: Some(chrono::Utc::now()),
            },
            metadata: None,
        }))
    }

    pub fn artifact(&self, part: Part, append: bool, last: bool) -> Event {
        let artifact = Artifact {
            artifact_id: "artifact".into(),
            name: None,
            description: None,
            parts: vec![part],
            metadata: None,
            extensions: None,
        };
        Ok(StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
            task_id: self.task.clone(),
            context_id: self.context.clone(),
            artifact,
            append: Some(append),
            last_chunk: Some(last),
            metadata: None,
        }))
    }

    pub fn message(&self, text: &str) -> Event {
        let message = Message::new(Role::Agent, vec![Part::text(text)]);
        Ok(StreamResponse::Message(Message {
            context_id: Some(self.context.clone()),
            ..message
        }))
    }
}
