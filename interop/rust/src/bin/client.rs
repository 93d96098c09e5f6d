//! One conversation of the official SDK's client with an agent.
//!
//! ```text
//! client CARD-BASE-URL jsonrpc|rest|grpc full|strict
//! ```
//!
//! It takes the agent's card, calls every operation over that transport alone,
//! and prints one line of JSON a step (see `report`). It exits with 0 whatever
//! the agent answered, and with another status if it crashed.

use a2awire_interop::client::{Talk, full, strict};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [url, transport, mode] = args.as_slice() else {
        panic!("usage: client CARD-BASE-URL jsonrpc|rest|grpc full|strict");
    };
    let talk = Talk::new(url, transport)
        .await
        .expect("a client of the agent");
    match mode.as_str() {
        "full" => full::hold(&talk).await,
        "strict" => strict::hold(&talk).await,
        _ => panic!("no conversation {mode}"),
    }
}
