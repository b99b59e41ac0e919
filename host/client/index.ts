/**
 * A client of the RPC for browsers and every other runtime with `fetch`.
 *
 * ```ts
 * import { createClient } from 'holdfast/client'
 *
 * const node = createClient({ url: 'http://127.0.0.1:5001' })
 * for await (const { Name, Hash } of await node.call('add', { body: [{ path: 'a.txt', content: 'hello' }] })) console.log(Name, Hash)
 * ```
 *
 * @packageDocumentation
 */
import { type Client, type ClientOptions, clientOver } from './client.ts'
import type { BuiltInCommands } from './generated/index.ts'
import { fetchTransport } from './transport.ts'

export type { Client, ClientOptions } from './client.ts'
export type { Content, Part, Upload } from './content.ts'
export { RpcError, type RpcErrorCode } from './errors.ts'
export type { GlobalOptions } from './generated/globals.ts'
export type * from './generated/index.ts'
export { type CommandOutline, outlineOf } from './outline.ts'
export type { Fetch } from './transport.ts'
export type {
  CallOptions,
  CallRequest,
  CommandOf,
  CommandTypes,
  Name,
  Printable,
  Progress,
  ReplyOf,
  UntypedRequest,
  Wire
} from './types.ts'

/** The commands that a client knows. Add your own by declaring this interface again in the module `holdfast/client`. */
export interface Commands extends BuiltInCommands {}

/** A client that calls through `fetch`: the platform's own, or the one given. */
export function createClient<C = Commands>(options: ClientOptions = {}): Client<C> {
  const { fetch = (url, init) => globalThis.fetch(url, init) } = options
  return clientOver<C>(fetchTransport(fetch, streamsRequests()), options)
}

/** Browsers take a body that is made on the way over HTTP/2 alone, which a node does not speak. */
function streamsRequests(): boolean {
  const { process, Deno } = globalThis as { process?: { versions?: { node?: string } }; Deno?: unknown }
  return process?.versions?.node !== undefined || Deno !== undefined
}
