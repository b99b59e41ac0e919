import type { ExecutionContext } from 'ava'
import { Bitswap, type BitswapStat } from '../../../core/index.ts'
import { itemsOf, upload } from '../../../host/testing.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

/** Adds a file, or files by path, without a pin. @returns the CID of what was added last */
export async function added(
  node: OnlineNode,
  content: Parameters<typeof upload>[0],
  options: Record<string, unknown> = {}
): Promise<string> {
  const reply = await node.host.call('add', { body: upload(content), options: { pin: false, ...options } })
  return (await itemsOf<{ Hash: string }>(reply)).at(-1)!.Hash
}

export async function bytesOf(node: OnlineNode, command: string, path: string): Promise<Buffer> {
  return Buffer.concat(await itemsOf<Uint8Array>(await node.host.call(command, { args: [path] })))
}

export const statOf = (node: OnlineNode): BitswapStat => node.host.service(Bitswap)!.stat()

/** Connects, and waits until each knows that the other speaks bitswap. */
export async function connected(a: OnlineNode, b: OnlineNode): Promise<void> {
  await a.network.dial(b.network.self, b.network.announced())
  await until('both are known', () => statOf(a).peers.includes(b.network.self) && statOf(b).peers.includes(a.network.self))
}

/** So many nodes, up to three; the first is connected with all others. */
export async function nodes(
  t: ExecutionContext,
  count: number,
  settings: Record<string, unknown> = {}
): Promise<[OnlineNode, OnlineNode, OnlineNode]> {
  const all = await Promise.all(Array.from({ length: count }, () => onlineNode(t, { on: { bitswap: settings } })))
  for (const other of all.slice(1)) await connected(all[0]!, other)
  return all as [OnlineNode, OnlineNode, OnlineNode]
}
