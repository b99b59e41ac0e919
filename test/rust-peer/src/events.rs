//! What the node prints.
use crate::{DHT, Node, NodeEvent, Waiting};
use libp2p::kad::{self, GetProvidersOk, GetRecordOk, QueryResult};
use libp2p::{PeerId, Swarm, gossipsub, identify, ping, relay, swarm::SwarmEvent};
use serde_json::{Value, json};
use std::error::Error;

pub fn connection(waiting: &mut Waiting, event: SwarmEvent<NodeEvent>, own: PeerId) {
    match event {
        SwarmEvent::NewListenAddr { address, .. } => {
            print(json!({ "event": "listening", "address": address.with_p2p(own).unwrap_or_else(|address| address).to_string() }));
        }
        SwarmEvent::ConnectionEstablished { peer_id, connection_id, endpoint, .. } => {
            print(json!({ "event": "connected", "peer": peer_id.to_string(), "address": endpoint.get_remote_address().to_string() }));
            if let Some(number) = waiting.dials.remove(&connection_id) {
                answer(&number, json!(peer_id.to_string()));
            }
        }
        SwarmEvent::OutgoingConnectionError { connection_id, error, .. } => {
            if let Some(number) = waiting.dials.remove(&connection_id) {
                refuse(&number, error.into());
            }
        }
        SwarmEvent::ConnectionClosed { peer_id, .. } => print(json!({ "event": "closed", "peer": peer_id.to_string() })),
        _ => {}
    }
}

pub fn tell(swarm: &mut Swarm<Node>, waiting: &mut Waiting, event: NodeEvent) {
    match event {
        NodeEvent::Identify(identify::Event::Received { peer_id, info, .. }) => {
            if info.protocols.contains(&DHT) {
                for address in &info.listen_addrs {
                    swarm.behaviour_mut().kad.add_address(&peer_id, address.clone());
                }
            }
            print(json!({
                "event": "identified", "peer": peer_id.to_string(), "agent": info.agent_version, "version": info.protocol_version,
                "protocols": info.protocols.iter().map(ToString::to_string).collect::<Vec<_>>(), "observed": info.observed_addr.to_string(),
                "addresses": info.listen_addrs.iter().map(ToString::to_string).collect::<Vec<_>>()
            }));
        }
        NodeEvent::Ping(ping::Event { peer, result, .. }) => match result {
            Ok(time) => print(json!({ "event": "ping", "peer": peer.to_string(), "ms": time.as_secs_f64() * 1000.0 })),
            Err(error) => print(json!({ "event": "no ping", "peer": peer.to_string(), "error": error.to_string() })),
        },
        NodeEvent::Gossipsub(gossipsub::Event::Subscribed { peer_id, topic }) => {
            print(json!({ "event": "subscribed", "peer": peer_id.to_string(), "topic": topic.to_string() }));
        }
        NodeEvent::Gossipsub(gossipsub::Event::Message { message, .. }) => print(json!({
            "event": "message", "topic": message.topic.to_string(), "from": message.source.map(|peer| peer.to_string()),
            "value": hexadecimal(&message.data)
        })),
        NodeEvent::Relay(relay::client::Event::ReservationReqAccepted { relay_peer_id, .. }) => {
            print(json!({ "event": "reserved", "peer": relay_peer_id.to_string() }));
        }
        NodeEvent::Kad(kad::Event::OutboundQueryProgressed { id, result, step, .. }) => {
            let Some((number, found)) = waiting.queries.get_mut(&id) else { return };
            let error = progress(result, found);
            if step.last {
                match error {
                    Some(error) if found.is_empty() => refuse(number, error.into()),
                    _ => answer(number, json!(found)),
                }
                waiting.queries.remove(&id);
            }
        }
        _ => {}
    }
}

/// Takes what a query has found. @returns what went wrong
fn progress(result: QueryResult, found: &mut Vec<Value>) -> Option<String> {
    match result {
        QueryResult::GetProviders(Ok(GetProvidersOk::FoundProviders { providers, .. })) => {
            found.extend(providers.iter().map(|peer| json!(peer.to_string())));
        }
        QueryResult::GetProviders(Err(error)) => return Some(error.to_string()),
        QueryResult::GetRecord(Ok(GetRecordOk::FoundRecord(one))) => found.push(json!(hexadecimal(&one.record.value))),
        QueryResult::GetRecord(Err(error)) => return Some(error.to_string()),
        QueryResult::GetClosestPeers(Ok(ok)) => found.extend(ok.peers.iter().map(|peer| json!(peer.peer_id.to_string()))),
        QueryResult::GetClosestPeers(Err(error)) => return Some(error.to_string()),
        QueryResult::StartProviding(Err(error)) => return Some(error.to_string()),
        QueryResult::PutRecord(Err(error)) => return Some(error.to_string()),
        _ => {}
    }
    None
}

pub fn hexadecimal(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

pub fn answer(number: &str, value: Value) {
    print(json!({ "answer": number, "value": value }));
}

pub fn refuse(number: &str, error: Box<dyn Error + Send + Sync>) {
    print(json!({ "answer": number, "error": error.to_string() }));
}

pub fn print(line: Value) {
    println!("{line}");
}
