import { Configuration, RemotePinningServiceClient } from '@ipfs-shipyard/pinning-service-client'
import type { ExecutionContext } from 'ava'
import { Datastore, inner, type Plugin, plugin, service } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import type { NodeHost } from '../../../host/host.ts'
import { itemsOf, serve, upload } from '../../../host/testing.ts'
import { until } from '../../helpers/until.ts'

/** A request as the API shows it. */
export interface Shown {
  readonly requestid: string
  readonly status: string
  readonly created: string
  readonly pin: { readonly cid: string; readonly name?: string; readonly origins?: string[]; readonly meta?: Record<string, string> }
  readonly delegates: readonly string[]
  readonly info?: { readonly status_details?: string }
}

export interface Asked {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: {
    readonly count: number
    readonly results: readonly Shown[]
    readonly error: { readonly reason: string; readonly details: string }
  } & Shown
}

interface AskOptions {
  readonly body?: unknown
  readonly token?: string | undefined
  readonly headers?: Record<string, string>
}

/** A node that keeps pins for others, with a token named `alice`. */
export interface ServingNode {
  readonly host: NodeHost
  readonly url: string
  readonly rpc: string
  readonly token: string
  makeToken(name: string, options?: Record<string, unknown>): Promise<string>
  ask(method: string, path: string, options?: AskOptions): Promise<Asked>
  /** Asks for a pin. */
  post(cid: string, more?: Record<string, unknown>, token?: string): Promise<Shown>
  /** Waits until a request has a status. */
  has(id: string, status: string, token?: string): Promise<Shown>
  /** Adds a file without a pin. */
  stored(text: string): Promise<string>
  /** `CID mode name` of the node's pins, sorted. */
  pins(): Promise<readonly string[]>
  client(token?: string): RemotePinningServiceClient
}

interface NodeOptions {
  readonly settings?: Readonly<Record<string, unknown>>
  readonly plugins?: readonly Plugin[]
  readonly on?: Readonly<Record<string, unknown>>
  /** Who wins a service. */
  readonly services?: Readonly<Record<string, string[]>>
  /** The folder of its repo. Default: it is kept in memory. */
  readonly repo?: string
}

export async function servingNode(
  t: ExecutionContext,
  { settings = {}, plugins, on = {}, services = {}, repo }: NodeOptions = {}
): Promise<ServingNode> {
  const stores = repo === undefined ? { 'storage-rocksdb': 'off', 'storage-memory': 'on' } : {}
  const host = await createHost({
    plugins,
    repo: { path: repo, init: {}, overrides: { 'Addresses.Gateway': '/ip4/127.0.0.1/tcp/0' } },
    configuration: {
      plugins: { ...stores, 'pinning-service': { port: 0, ...settings }, ...on } as never,
      services,
      rpc: { checkReplies: true }
    }
  })
  t.teardown(() => host.stop())
  await host.start()
  const { listeners, rpc } = await serve(host)
  return served(host, listeners['pinning-service']!, rpc!)
}

/** What a test asks a node that is served, with a token of its own. */
export async function served(host: NodeHost, url: string, rpc = ''): Promise<ServingNode> {
  const makeToken = async (name: string, options: Record<string, unknown> = {}) =>
    ((await host.call('pin/service/token/new', { args: [name], options })) as { Token: string }).Token
  const tokens = await host.call('pin/service/token/list')
  const hasOne = (tokens as { Tokens: Array<{ Name: string }> }).Tokens.some(({ Name }) => Name === 'alice')
  const token = hasOne ? '' : await makeToken('alice')
  const ask = async (method: string, path: string, options: AskOptions = {}): Promise<Asked> => {
    const { body, headers = {} } = options
    const secret = 'token' in options ? options.token : token
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...(secret !== undefined && { Authorization: `Bearer ${secret}` }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) })
    })
    const text = await answer.text()
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {}
    return { status: answer.status, headers: answer.headers, text, json: json as Asked['json'] }
  }
  const post = async (cid: string, more: Record<string, unknown> = {}, secret = token) => {
    const { status, json, text } = await ask('POST', '/pins', { body: { cid, ...more }, token: secret })
    if (status !== 202) throw new Error(`${status}: ${text}`)
    return json
  }
  const has = (id: string, status: string, secret = token) =>
    until(`${id} is ${status}`, async () => {
      const { json } = await ask('GET', `/pins/${id}`, { token: secret })
      return json.status === status ? json : undefined
    })
  const stored = async (text: string) =>
    (await itemsOf<{ Hash: string }>(await host.call('add', { body: upload(text), options: { pin: false, cidVersion: 1 } })))[0]!.Hash
  const pins = async () => {
    const reply = await host.call('pin/ls', { options: { names: true, type: 'all', stream: true } })
    const items = await itemsOf<{ Cid: string; Type: string; Name?: string }>(reply)
    return items
      .filter(({ Type, Cid }) => Type !== 'indirect' && Cid !== EMPTY)
      .map(({ Cid, Type, Name = '' }) => `${Cid} ${Type} ${Name}`)
      .sort()
  }
  const client = (secret = token) => new RemotePinningServiceClient(new Configuration({ endpointUrl: url, accessToken: secret }))
  return { host, url, rpc, token, makeToken, ask, post, has, stored, pins, client }
}

/** The empty folder that each repo pins at first. */
const EMPTY = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'

/** A CID that nobody has. */
export const ABSENT = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

/** A plugin whose datastore is the one behind it, but for what `changed` has in place of its methods. */
export function datastoreWith(name: string, about: string, changed: (of: Datastore) => Partial<Datastore>): Plugin {
  const make = ({ datastore }: { datastore: Datastore }): Datastore => {
    const changes = changed(datastore)
    return new Proxy(datastore, {
      get(of, key) {
        const value = (changes[key as keyof Datastore] ?? of[key as keyof Datastore]) as unknown
        return typeof value === 'function' ? value.bind(of) : value
      }
    })
  }
  return plugin({ name, api: '^1', about, provides: [service(Datastore, { needs: { datastore: inner(Datastore) }, make })] })
}
