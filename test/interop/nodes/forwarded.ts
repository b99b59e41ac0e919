import type { Peer } from './peer.ts'

/** A port of this machine that leads by one node to a service behind the other. */
export async function forwarded(one: Peer, other: Peer, port: number, protocol: string): Promise<number> {
  await other.ask(`p2p/listen?arg=${protocol}&arg=/ip4/127.0.0.1/tcp/${port}`)
  await one.ask(`p2p/forward?arg=${protocol}&arg=/ip4/127.0.0.1/tcp/0&arg=/p2p/${other.id}`)
  const { Listeners } = await one.json<{ Listeners: ReadonlyArray<{ ListenAddress: string; TargetAddress: string }> }>('p2p/ls')
  return Number(
    Listeners.find(({ TargetAddress }) => TargetAddress === `/p2p/${other.id}`)!
      .ListenAddress.split('/')
      .at(-1)
  )
}
