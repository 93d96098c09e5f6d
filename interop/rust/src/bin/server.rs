//! Two agents on the official SDK's server: one that can do everything, and one
//! that has neither streams, nor push notifications, nor an extended card, and
//! requires an extension.
//!
//! It prints {"full": URL, "strict": URL}, the addresses whose well-known path
//! has the agents' cards, and ends when its standard input does.

use a2awire_interop::server;
use tokio::io::AsyncReadExt;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let full = server::serve("full").await.expect("the agent full");
    let strict = server::serve("strict").await.expect("the agent strict");
    println!("{}", serde_json::json!({"full": full, "strict": strict}));
    let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
    // The runtime would wait for the thread that reads standard input, and the servers have no end.
    std::process::exit(0);
}
