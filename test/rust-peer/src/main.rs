//! A node of rust-libp2p, against which tests hold this project's. `rust-peer noise|tls` listens at a free port of this machine over that
//! secure channel alone. Each line of its input is a command, `NUMBER VERB ARGUMENT…` with octets in hexadecimal; each line of its output a
//! JSON object: the `answer` to a command, or an `event`. It ends with its input.
mod events;

use events::{answer, connection, hexadecimal, print, refuse, tell};
use futures::{AsyncReadExt, AsyncWriteExt, StreamExt};
use libp2p::core::{muxing::StreamMuxerBox, transport::Boxed, upgrade::Version};
use libp2p::kad::{self, store::MemoryStore};
use libp2p::swarm::{ConnectionId, NetworkBehaviour, SwarmEvent, dial_opts::DialOpts};
use libp2p::{Multiaddr, PeerId, StreamProtocol, Swarm, SwarmBuilder, Transport};
use libp2p::{gossipsub, identify, identity::Keypair, noise, ping, relay, tcp, tls, yamux};
use serde_json::{Value, json};
use std::{collections::HashMap, error::Error, time::Duration};
use tokio::io::{AsyncBufReadExt, BufReader};

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

const DHT: StreamProtocol = StreamProtocol::new("/ipfs/lan/kad/1.0.0");
const ECHO: StreamProtocol = StreamProtocol::new("/rust-peer/echo");

#[derive(NetworkBehaviour)]
struct Node {
    gossipsub: gossipsub::Behaviour,
    identify: identify::Behaviour,
    kad: kad::Behaviour<MemoryStore>,
    ping: ping::Behaviour,
    relay: relay::client::Behaviour,
    streams: libp2p_stream::Behaviour,
}

/// Commands that are under way, by what answers them.
#[derive(Default)]
struct Waiting {
    dials: HashMap<ConnectionId, String>,
    queries: HashMap<kad::QueryId, (String, Vec<Value>)>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Fallible<()> {
    let mut swarm = node(&std::env::args().nth(1).unwrap_or_default())?;
    let mut incoming = swarm.behaviour().streams.new_control().accept(ECHO)?;
    tokio::spawn(async move {
        while let Some((peer, stream)) = incoming.next().await {
            tokio::spawn(async move {
                if let Err(error) = echo(stream).await {
                    print(json!({ "event": "torn", "peer": peer.to_string(), "error": error.to_string() }));
                }
            });
        }
    });
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut waiting = Waiting::default();
    loop {
        tokio::select! {
            line = lines.next_line() => {
                let Some(line) = line? else { return Ok(()) };
                let (number, command) = line.split_once(' ').ok_or("no number")?;
                if let Err(error) = run(&mut swarm, &mut waiting, number, command) {
                    refuse(number, error);
                }
            }
            event = swarm.select_next_some() => match event {
                SwarmEvent::Behaviour(event) => tell(&mut swarm, &mut waiting, event),
                event => connection(&mut waiting, event, *swarm.local_peer_id()),
            }
        }
    }
}

fn node(security: &str) -> Fallible<Swarm<Node>> {
    let mut swarm = SwarmBuilder::with_new_identity()
        .with_tokio()
        .with_other_transport(|key| transport(key, security))?
        .with_relay_client(noise::Config::new, yamux::Config::default)?
        .with_behaviour(|key, relay| {
            let id = key.public().to_peer_id();
            let pubsub = gossipsub::ConfigBuilder::default().heartbeat_interval(Duration::from_millis(200)).build()?;
            let about = identify::Config::new("ipfs/0.1.0".into(), key.public()).with_agent_version("rust-peer".into());
            Ok(Node {
                gossipsub: gossipsub::Behaviour::new(gossipsub::MessageAuthenticity::Signed(key.clone()), pubsub)?,
                identify: identify::Behaviour::new(about.with_push_listen_addr_updates(true)),
                kad: kad::Behaviour::with_config(id, MemoryStore::new(id), kad::Config::new(DHT)),
                ping: ping::Behaviour::new(ping::Config::new().with_interval(Duration::from_millis(500))),
                relay,
                streams: libp2p_stream::Behaviour::new(),
            })
        })?
        .with_swarm_config(|config| config.with_idle_connection_timeout(Duration::from_secs(600)))
        .build();
    swarm.behaviour_mut().kad.set_mode(Some(kad::Mode::Server));
    swarm.listen_on("/ip4/127.0.0.1/tcp/0".parse()?)?;
    Ok(swarm)
}

fn transport(key: &Keypair, security: &str) -> Fallible<Boxed<(PeerId, StreamMuxerBox)>> {
    let tcp = tcp::tokio::Transport::new(tcp::Config::default()).upgrade(Version::V1Lazy);
    Ok(match security {
        "noise" => tcp.authenticate(noise::Config::new(key)?).multiplex(yamux::Config::default()).boxed(),
        "tls" => tcp.authenticate(tls::Config::new(key)?).multiplex(yamux::Config::default()).boxed(),
        _ => return Err("noise or tls".into()),
    })
}

/// Starts a command; those of streams go on by themselves.
fn run(swarm: &mut Swarm<Node>, waiting: &mut Waiting, number: &str, command: &str) -> Fallible<()> {
    let immediately = |value: Value| {
        answer(number, value);
        Ok(())
    };
    let query = match command.split(' ').collect::<Vec<_>>()[..] {
        ["dial", address] => {
            let options = DialOpts::from(address.parse::<Multiaddr>()?);
            waiting.dials.insert(options.connection_id(), number.into());
            return Ok(swarm.dial(options)?);
        }
        ["listen", address] => return immediately(json!(swarm.listen_on(address.parse()?)?.to_string())),
        ["subscribe", topic] => {
            return immediately(json!(swarm.behaviour_mut().gossipsub.subscribe(&gossipsub::IdentTopic::new(topic))?));
        }
        ["publish", topic, value] => {
            let id = swarm.behaviour_mut().gossipsub.publish(gossipsub::IdentTopic::new(topic), octets(value)?)?;
            return immediately(json!(id.to_string()));
        }
        [verb @ ("ask" | "tear"), peer, protocol, value] => {
            let control = swarm.behaviour().streams.new_control();
            let protocol = StreamProtocol::try_from_owned(protocol.into())?;
            let asked = ask(control, peer.parse()?, protocol, octets(value)?, verb == "tear");
            let number = number.to_owned();
            tokio::spawn(async move {
                match asked.await {
                    Ok(value) => answer(&number, json!(hexadecimal(&value))),
                    Err(error) => refuse(&number, error),
                }
            });
            return Ok(());
        }
        ["providers", key] => swarm.behaviour_mut().kad.get_providers(octets(key)?.into()),
        ["provide", key] => swarm.behaviour_mut().kad.start_providing(octets(key)?.into())?,
        ["get", key] => swarm.behaviour_mut().kad.get_record(octets(key)?.into()),
        ["put", key, value] => swarm.behaviour_mut().kad.put_record(kad::Record::new(octets(key)?, octets(value)?), kad::Quorum::One)?,
        ["closest", key] => swarm.behaviour_mut().kad.get_closest_peers(octets(key)?),
        _ => return Err("no such command".into()),
    };
    waiting.queries.insert(query, (number.into(), vec![]));
    Ok(())
}

/// Answers with all that came, once the other side has written all.
async fn echo(mut stream: libp2p::Stream) -> Fallible<()> {
    let mut all = vec![];
    stream.read_to_end(&mut all).await?;
    stream.write_all(&all).await?;
    Ok(stream.close().await?)
}

/// Writes, ends its own side, and reads what is answered; or drops the stream once this is written.
async fn ask(mut control: libp2p_stream::Control, peer: PeerId, protocol: StreamProtocol, value: Vec<u8>, tear: bool) -> Fallible<Vec<u8>> {
    let mut stream = control.open_stream(peer, protocol).await?;
    stream.write_all(&value).await?;
    stream.flush().await?;
    let mut all = vec![];
    if !tear {
        stream.close().await?;
        stream.read_to_end(&mut all).await?;
    }
    Ok(all)
}

fn octets(text: &str) -> Fallible<Vec<u8>> {
    let pairs = (0..text.len()).step_by(2).map(|at| text.get(at..at + 2).ok_or("half an octet".into()));
    pairs.map(|pair: Fallible<&str>| Ok(u8::from_str_radix(pair?, 16)?)).collect()
}
