/**
 * The client where Node.js runs it: the same, over Node's own HTTP, so that errors behind the first byte are told with their text, and
 * an answer may take any time.
 *
 * @packageDocumentation
 */
import { type Client, type ClientOptions, clientOver } from './client.ts'
import { httpTransport } from './http-transport.ts'
import { type Commands, createClient as createFetchClient } from './index.ts'

export * from './index.ts'

/** A client that calls through `node:http`, or the `fetch` that is given. */
export function createClient<C = Commands>(options: ClientOptions = {}): Client<C> {
  return options.fetch === undefined ? clientOver<C>(httpTransport(), options) : createFetchClient<C>(options)
}
