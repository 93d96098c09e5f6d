//! Requests, and what is in them.

use a2a::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTasksRequest, Message, Part, Role, SendMessageConfiguration, SendMessageRequest,
    SendMessageResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};

/// Text of every length of UTF-8, and what JSON escapes.
pub const UNICODE: &str = "příliš 日本語 🦉 𝔘 \"quoted\" \\ / \u{2028} \u{1} <b>&amp;";
/// A webhook that nobody calls.
pub const HOOK: &str = "http://hooks.example/a2a";

/// An echo of more than the buffers of any transport.
pub fn large() -> SendMessageRequest {
    say(&format!("echo {}", "x".repeat(300 << 10)))
}

pub fn say(text: &str) -> SendMessageRequest {
    with_parts(vec![Part::text(text)])
}

pub fn with_parts(parts: Vec<Part>) -> SendMessageRequest {
    SendMessageRequest {
        message: Message::new(Role::User, parts),
        configuration: None,
        metadata: None,
        tenant: None,
    }
}

/// A request whose configuration is an empty one, changed.
pub fn configured(
    text: &str,
    change: impl FnOnce(&mut SendMessageConfiguration),
) -> SendMessageRequest {
    let mut configuration = SendMessageConfiguration {
        accepted_output_modes: None,
        task_push_notification_config: None,
        history_length: None,
        return_immediately: None,
    };
    change(&mut configuration);
    SendMessageRequest {
        configuration: Some(configuration),
        ..say(text)
    }
}

/// The task that a message came to, or one that is none.
pub fn task_of(response: Option<SendMessageResponse>) -> Option<Task> {
    match response {
        Some(SendMessageResponse::Task(task)) => Some(task),
        _ => None,
    }
}

pub fn id_of(response: Option<SendMessageResponse>) -> String {
    task_of(response)
        .map(|t| t.id)
        .unwrap_or_else(|| "there was no task".into())
}

pub fn get(id: &str, history_length: Option<i32>) -> GetTaskRequest {
    GetTaskRequest {
        id: id.into(),
        history_length,
        tenant: None,
    }
}

pub fn cancel(id: &str) -> CancelTaskRequest {
    CancelTaskRequest {
        id: id.into(),
        metadata: None,
        tenant: None,
    }
}

pub fn subscribe(id: &str) -> SubscribeToTaskRequest {
    SubscribeToTaskRequest {
        id: id.into(),
        tenant: None,
    }
}

pub fn list() -> ListTasksRequest {
    ListTasksRequest {
        context_id: None,
        status: None,
        page_size: None,
        page_token: None,
        history_length: None,
        status_timestamp_after: None,
        include_artifacts: None,
        tenant: None,
    }
}

pub fn config(task_id: &str, id: &str) -> TaskPushNotificationConfig {
    TaskPushNotificationConfig {
        url: HOOK.into(),
        id: Some(id.into()),
        task_id: task_id.into(),
        token: None,
        authentication: None,
        tenant: None,
    }
}

pub fn get_config(task_id: &str, id: &str) -> GetTaskPushNotificationConfigRequest {
    GetTaskPushNotificationConfigRequest {
        task_id: task_id.into(),
        id: id.into(),
        tenant: None,
    }
}

pub fn list_configs(task_id: &str) -> ListTaskPushNotificationConfigsRequest {
    ListTaskPushNotificationConfigsRequest {
        task_id: task_id.into(),
        page_size: None,
        page_token: None,
        tenant: None,
    }
}

pub fn delete_config(task_id: &str, id: &str) -> DeleteTaskPushNotificationConfigRequest {
    DeleteTaskPushNotificationConfigRequest {
        task_id: task_id.into(),
        id: id.into(),
        tenant: None,
    }
}
