import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request as open } from 'node:http'
import type { ExecutionContext } from 'ava'
import { sumCidInTurns } from '../../../core/cid/index.ts'
import { type AnyProvision, Blocks, type Json, type Plugin } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import type { NodeHost } from '../../../host/host.ts'
import { itemsOf, serve, upload } from '../../../host/testing.ts'

export interface Asked {
  readonly method?: string
  /** As it is sent: nothing is cleaned or encoded. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  /** Whether the connection was broken off before the end. */
  readonly isCut: boolean
}

export interface World {
  readonly host: NodeHost
  readonly port: number
  readonly rpcPort: number
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  ask(asked: Asked): Promise<Answer>
  /** Adds files as one folder. @returns its CID, and those of what is in it by path */
  add(files: Readonly<Record<string, string | Uint8Array>>, options?: Readonly<Record<string, unknown>>): Promise<Added>
  put(bytes: Uint8Array, codec: number): Promise<string>
}

export interface Added {
  readonly root: string
  readonly cids: ReadonlyMap<string, string>
}

export interface WorldOptions {
  /** Values of the node configuration. */
  readonly config?: Readonly<Record<string, Json>>
  readonly settings?: Readonly<Record<string, unknown>>
  /** Settings of other plugins, by name. */
  readonly others?: Readonly<Record<string, Readonly<Record<string, unknown>> | 'on' | 'off'>>
  readonly plugins?: readonly Plugin[]
  readonly services?: readonly AnyProvision[]
}

/** An exchange where nobody has anything, and what it was asked for. */
export function emptyExchange(): { readonly asked: string[]; readonly exchange: { get(cid: unknown): Promise<never> } } {
  const asked: string[] = []
  const exchange = {
    get(cid: unknown): Promise<never> {
      asked.push(String(cid))
      return Promise.reject(new Error('nobody has it'))
    }
  }
  return { asked, exchange }
}

/** A node in memory whose gateway listens on a free port. */
export async function world(
  t: Pick<ExecutionContext, 'teardown'>,
  { config = {}, settings = {}, others = {}, plugins, services }: WorldOptions = {}
): Promise<World> {
  const host = await createHost({
    plugins,
    services,
    repo: { path: undefined, init: {}, overrides: { 'Addresses.Gateway': '/ip4/127.0.0.1/tcp/0', ...config } },
    configuration: { plugins: { 'storage-rocksdb': 'off', 'storage-memory': 'on', gateway: settings, name: { dns: 'none' }, ...others } }
  })
  await host.start()
  t.teardown(() => host.stop())
  const { listeners, rpc } = await serve(host)
  const port = Number(new URL(listeners['gateway']!).port)
  const ask = (asked: Asked) => send(port, asked)
  return {
    host,
    port,
    rpcPort: Number(new URL(rpc!).port),
    ask,
    get: (path, headers) => ask({ path, headers }),
    async add(files, options = { cidVersion: 1 }) {
      const named = Object.fromEntries(Object.entries(files).map(([name, content]) => [`folder/${name}`, content]))
      const items = await itemsOf<{ Name: string; Hash: string }>(await host.call('add', { body: upload(named), options }))
      return { root: items.at(-1)!.Hash, cids: new Map(items.map(({ Name, Hash }) => [Name.slice('folder/'.length), Hash])) }
    },
    async put(bytes, codec) {
      const cid = await sumCidInTurns({ version: 1, codec, hash: 0x12 }, bytes, { signal: new AbortController().signal })
      await host.service(Blocks)!.put(cid, bytes)
      return cid.toString()
    }
  }
}

/** Asks as a client that sends what it is told to. */
export async function send(port: number, { method = 'GET', path, headers = {} }: Asked): Promise<Answer> {
  const outgoing = open({ host: '127.0.0.1', port, method, path, headers, agent: false })
  // one that is broken off is seen by its response
  outgoing.on('error', () => {})
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const pieces: Buffer[] = []
  let isCut = false
  try {
    for await (const piece of response as AsyncIterable<Buffer>) pieces.push(piece)
  } catch {
    isCut = true
  }
  const bytes = Buffer.concat(pieces)
  return { status: response.statusCode!, headers: response.headers, bytes, text: bytes.toString(), isCut }
}
