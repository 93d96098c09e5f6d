//! The conversation with an agent that has neither streams, nor push
//! notifications, nor an extended card, and requires an extension. The SDK's
//! client asks for all that, whatever the card says.

use a2a::GetExtendedAgentCardRequest;
use serde_json::json;

use super::Talk;
use super::report::{all, within};
use super::request::*;

pub async fn hold(t: &Talk) {
    let client = t.naming(&["https://ext.example/required"]).await;

    let id = id_of(
        t.step("strict send", client.send_message(&say("echo hello")))
            .await,
    );
    t.step("strict large", client.send_message(&large())).await;
    t.step("strict unnamed", t.client.send_message(&say("echo hello")))
        .await;
    // Its client has one way to ask for a stream, so both steps are the same.
    for name in ["strict stream falls back", "strict stream"] {
        t.stream(name, client.send_streaming_message(&say("echo hello")), all)
            .await;
    }
    t.stream(
        "strict subscribe",
        client.subscribe_to_task(&subscribe(&id)),
        all,
    )
    .await;
    t.step(
        "strict card",
        client.get_extended_agent_card(&GetExtendedAgentCardRequest { tenant: None }),
    )
    .await;

    for name in ["strict push by client", "strict push create"] {
        t.step(name, client.create_push_config(&config(&id, "p")))
            .await;
    }
    t.step(
        "strict push get",
        client.get_push_config(&get_config(&id, "p")),
    )
    .await;
    t.step(
        "strict push list",
        client.list_push_configs(&list_configs(&id)),
    )
    .await;
    let deleted = within(client.delete_push_config(&delete_config(&id, "p"))).await;
    t.value("strict push delete", deleted.map(|()| json!({})));
    let inline = configured("echo hello", |c| {
        c.task_push_notification_config = Some(config("", "p"))
    });
    t.step("strict push inline", client.send_message(&inline))
        .await;
}
