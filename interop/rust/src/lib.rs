//! The official A2A SDK for Rust as client and as server, for tests.

pub mod client;
pub mod server;
