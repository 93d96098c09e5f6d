//! The conversation with an agent that can do everything.

use std::collections::HashMap;

use a2a::{
    AuthenticationInfo, GetExtendedAgentCardRequest, ListTasksRequest, Part, SendMessageRequest,
    SendMessageResponse, StreamResponse, TaskPushNotificationConfig, TaskState, new_context_id,
};
use serde_json::{Value, json};

use super::Talk;
use super::report::{Then, all, proto_json, within};
use super::request::*;

/// The errors of spec 3.3.2, and two that every binding has.
const FAULTS: [&str; 11] = [
    "TaskNotFoundError",
    "TaskNotCancelableError",
    "PushNotificationNotSupportedError",
    "UnsupportedOperationError",
    "ContentTypeNotSupportedError",
    "InvalidAgentResponseError",
    "ExtendedAgentCardNotConfiguredError",
    "ExtensionSupportRequiredError",
    "VersionNotSupportedError",
    "InvalidParamsError",
    "InternalError",
];

pub async fn hold(t: &Talk) {
    cards(t).await;
    sending(t).await;
    mirrors(t).await;
    turns(t).await;
    lists(t).await;
    cancelling(t).await;
    streams(t).await;
    pushing(t).await;
    errors(t).await;
}

/// Holds a step that is one message.
async fn send(t: &Talk, name: &str, request: SendMessageRequest) -> Option<SendMessageResponse> {
    t.step(name, t.client.send_message(&request)).await
}

async fn cards(t: &Talk) {
    let extended = within(
        t.client
            .get_extended_agent_card(&GetExtendedAgentCardRequest { tenant: None }),
    )
    .await;
    t.value(
        "card",
        extended.map(|card| json!({"public": proto_json(&t.card), "extended": proto_json(&card)})),
    );
}

async fn sending(t: &Talk) {
    send(t, "send echo", say("echo hello")).await;
    send(t, "send message", say("message hello")).await;
    send(t, "send unicode", say(&format!("echo {UNICODE}"))).await;
    send(t, "send large", large()).await;
    send(
        t,
        "send without history",
        configured("echo hello", |c| c.history_length = Some(0)),
    )
    .await;
    send(t, "fail", say("fail")).await;
    send(t, "reject", say("reject")).await;
}

async fn mirrors(t: &Talk) {
    let with = |part| with_parts(vec![Part::text("mirror"), part]);
    let raw = Part::raw((0..=255).collect()).with_media_type("application/octet-stream");
    send(t, "mirror raw", with(raw)).await;
    let data = json!({"list": [1, 2.5, Value::Null, true, "x", {"deep": {}}]});
    send(t, "mirror data", with(Part::data(data))).await;
    let metadata = HashMap::from([("https://ext.example/k".to_string(), json!(["a", 1]))]);
    send(
        t,
        "mirror metadata",
        SendMessageRequest {
            metadata: Some(metadata),
            ..say("mirror")
        },
    )
    .await;
    send(
        t,
        "mirror tenant",
        SendMessageRequest {
            tenant: Some("acme".into()),
            ..say("mirror")
        },
    )
    .await;
    let naming = t
        .naming(&["https://ext.example/geo", "https://ext.example/cite"])
        .await;
    t.step("mirror extensions", naming.send_message(&say("mirror")))
        .await;
}

async fn turns(t: &Talk) {
    for wait in ["input", "auth"] {
        let task = task_of(send(t, wait, say(wait)).await);
        let (id, context) = task.map(|t| (t.id, t.context_id)).unzip();
        let mut answer = say("more");
        (answer.message.task_id, answer.message.context_id) = (id.clone(), context);
        send(t, &format!("{wait} answer"), answer).await;
        if wait == "auth" {
            return;
        }
        let id = id.unwrap_or_default();
        for (name, length) in [
            ("history all", None),
            ("history one", Some(1)),
            ("history none", Some(0)),
        ] {
            t.step(name, t.client.get_task(&get(&id, length))).await;
        }
    }
}

async fn lists(t: &Talk) {
    let context = new_context_id();
    let mut last = String::new();
    for text in ["echo one", "echo two"] {
        let mut request = say(text);
        request.message.context_id = Some(context.clone());
        last = id_of(t.client.send_message(&request).await.ok());
    }
    let here = || ListTasksRequest {
        context_id: Some(context.clone()),
        ..list()
    };

    t.step("get", t.client.get_task(&get(&last, None))).await;
    t.step("get unknown", t.client.get_task(&get("no such task", None)))
        .await;
    t.step(
        "list",
        t.client.list_tasks(&ListTasksRequest {
            include_artifacts: Some(true),
            ..here()
        }),
    )
    .await;
    let one = ListTasksRequest {
        page_size: Some(1),
        ..here()
    };
    let first = t.step("list page one", t.client.list_tasks(&one)).await;
    let two = ListTasksRequest {
        page_token: first.map(|p| p.next_page_token),
        ..one
    };
    t.step("list page two", t.client.list_tasks(&two)).await;
    let failed = ListTasksRequest {
        status: Some(TaskState::Failed),
        ..here()
    };
    t.step("list by status", t.client.list_tasks(&failed)).await;
    t.step(
        "list too many",
        t.client.list_tasks(&ListTasksRequest {
            page_size: Some(1000),
            ..here()
        }),
    )
    .await;
    t.step("cancel finished", t.client.cancel_task(&cancel(&last)))
        .await;
    t.stream(
        "subscribe finished",
        t.client.subscribe_to_task(&subscribe(&last)),
        all,
    )
    .await;
}

async fn cancelling(t: &Talk) {
    let request = configured("long 60", |c| c.return_immediately = Some(true));
    let id = id_of(send(t, "send and return", request).await);
    let mut canceled = None;
    t.stream(
        "subscribe",
        t.client.subscribe_to_task(&subscribe(&id)),
        async |_, n| {
            if n == 1 {
                canceled = Some(within(t.client.cancel_task(&cancel(&id))).await);
            }
            Then::GoOn
        },
    )
    .await;
    // Without an event there was no cancel: then the task must not stay.
    let canceled = match canceled {
        Some(answer) => answer,
        None => within(t.client.cancel_task(&cancel(&id))).await,
    };
    t.value(
        "cancel",
        canceled.map(|task| json!({"task": proto_json(&task)})),
    );
    t.step(
        "cancel unknown",
        t.client.cancel_task(&cancel("no such task")),
    )
    .await;
    t.stream(
        "subscribe unknown",
        t.client.subscribe_to_task(&subscribe("no such task")),
        all,
    )
    .await;
}

async fn streams(t: &Talk) {
    for (name, request) in [
        ("stream", say("stream 3")),
        ("stream message", say("message hello")),
        ("stream large", large()),
    ] {
        t.stream(name, t.client.send_streaming_message(&request), all)
            .await;
    }
    let mut id = String::new();
    t.stream(
        "stream left",
        t.client.send_streaming_message(&say("long 60")),
        async |event, n| {
            if let StreamResponse::Task(task) = event {
                id = task.id.clone();
            }
            if n == 2 { Then::Leave } else { Then::GoOn }
        },
    )
    .await;
    t.step("stream left goes on", t.client.get_task(&get(&id, None)))
        .await;
    let _ = within(t.client.cancel_task(&cancel(&id))).await;
}

async fn pushing(t: &Talk) {
    const ID: &str = "push 1/2";
    let task = id_of(t.client.send_message(&say("input")).await.ok());
    let full = |task: &str| TaskPushNotificationConfig {
        token: Some("secret".into()),
        authentication: Some(AuthenticationInfo {
            scheme: "Bearer".into(),
            credentials: Some("abc".into()),
        }),
        ..config(task, ID)
    };
    let (get, list, delete) = (
        get_config(&task, ID),
        list_configs(&task),
        delete_config(&task, ID),
    );

    t.step("push create", t.client.create_push_config(&full(&task)))
        .await;
    t.step("push get", t.client.get_push_config(&get)).await;
    t.step("push list", t.client.list_push_configs(&list)).await;
    let twice = async {
        t.client.delete_push_config(&delete).await?;
        t.client.delete_push_config(&delete).await
    };
    t.value("push delete", within(twice).await.map(|()| json!({})));
    t.step("push list deleted", t.client.list_push_configs(&list))
        .await;
    t.step("push get deleted", t.client.get_push_config(&get))
        .await;
    t.step(
        "push unknown",
        t.client.create_push_config(&full("no such task")),
    )
    .await;
    let inline = TaskPushNotificationConfig {
        token: Some("inline-token".into()),
        ..config("", "inline")
    };
    send(
        t,
        "push inline",
        configured("echo pushed", |c| {
            c.task_push_notification_config = Some(inline)
        }),
    )
    .await;
}

async fn errors(t: &Talk) {
    for name in FAULTS {
        send(t, &format!("error {name}"), say(&format!("error {name}"))).await;
    }
    for name in ["InternalError", "UnsupportedOperationError"] {
        let request = say(&format!("error-after 2 {name}"));
        t.stream(
            &format!("error in stream {name}"),
            t.client.send_streaming_message(&request),
            all,
        )
        .await;
    }
    let before = say("error TaskNotFoundError");
    t.stream(
        "error before stream",
        t.client.send_streaming_message(&before),
        all,
    )
    .await;
    let mut nameless = say("echo");
    nameless.message.message_id.clear();
    send(t, "missing messageId", nameless).await;
    send(t, "missing parts", with_parts(vec![])).await;
    t.step(
        "version",
        t.claiming("9.9").await.send_message(&say("echo")),
    )
    .await;
}
