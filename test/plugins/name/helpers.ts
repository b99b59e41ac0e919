import type { ExecutionContext } from 'ava'
import { Keys, type NameRoute, Names, ready, TxtResolver } from '../../../core/index.ts'
import { makeRecord, nowInNanoseconds, type RecordContent, routingKey, type Signer } from '../../../core/ipns/index.ts'
import { generateIdentity, sign } from '../../../core/keys/index.ts'
import type { NodeHost } from '../../../host/host.ts'
import { itemsOf, testHost, upload } from '../../../host/testing.ts'

export const HOUR = 3_600_000_000_000n
export const EMPTY_FOLDER = '/ipfs/QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'

/** A host in memory, with domains that have these texts. */
export async function nodeWith(
  t: ExecutionContext,
  { texts = {}, settings = {} }: { texts?: Readonly<Record<string, readonly string[]>>; settings?: Record<string, unknown> } = {}
): Promise<NodeHost> {
  const services = [ready(TxtResolver, { texts: async domain => texts[domain] ?? [] })]
  const host = await testHost({ services, configuration: { plugins: { name: settings } } })
  t.teardown(() => host.stop())
  return host
}

export const namesOf = (host: NodeHost): Names => host.service(Names)!
export const keysOf = (host: NodeHost): Keys => host.service(Keys)!

/** A key pair that signs. */
export async function signer(type = 'ed25519'): Promise<Signer> {
  const identity = await generateIdentity(type)
  return { peerId: identity.peerId, publicKey: identity.publicKey, sign: async bytes => sign(identity.privateKey, bytes) }
}

/** A record of a key that is good for an hour, with what differs. */
export function recordOf(by: Signer, content: Partial<RecordContent> = {}): Promise<Uint8Array> {
  return makeRecord({ path: '/ipfs/bafkqaaa', sequence: 0n, end: nowInNanoseconds() + HOUR, ttl: HOUR, v1Compatible: true, ...content }, by)
}

/** Other nodes, as far as records go: what is put with one of its routes is found with all. */
export class Shelf {
  readonly records = new Map<string, Uint8Array[]>()
  asked = 0

  route(name = 'shelf'): Required<NameRoute> {
    const key = (multihash: Uint8Array) => Buffer.from(routingKey(multihash)).toString('hex')
    return {
      name,
      publish: async (multihash, record) => void this.records.set(key(multihash), [...(this.records.get(key(multihash)) ?? []), record]),
      find: (multihash, { signal }) => this.#find(key(multihash), signal)
    }
  }

  async *#find(key: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    this.asked++
    for (const record of this.records.get(key) ?? []) if (!signal.aborted) yield record
  }
}

/** A folder with a file `a` of this text. @returns its CID */
export async function folderIn(host: NodeHost, text: string): Promise<string> {
  const lines = await itemsOf<{ Hash: string }>(await host.call('add', { body: upload({ 'folder/a': text }) }))
  return lines.at(-1)!.Hash
}
