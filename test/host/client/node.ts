import type { ExecutionContext } from 'ava'
import type { Client, ClientOptions } from '../../../host/client/client.ts'
import { clientOver } from '../../../host/client/client.ts'
import { createClient as overFetch } from '../../../host/client/index.ts'
import { createClient as overHttp } from '../../../host/client/node.ts'
import { fetchTransport } from '../../../host/client/transport.ts'
import { itemsOf } from '../../../host/testing.ts'

export type AnyClient = Client<Record<never, never>>

/** The client in its three ways of sending: Node's HTTP, `fetch` with streams, and `fetch` with whole bodies as browsers have it. */
export const ways: ReadonlyArray<readonly [name: string, make: (options: ClientOptions) => AnyClient]> = [
  ['over node:http', options => overHttp<Record<never, never>>(options)],
  ['over fetch', options => overFetch<Record<never, never>>(options)],
  [
    'over fetch with whole bodies',
    options =>
      clientOver<Record<never, never>>(
        fetchTransport((url, init) => fetch(url, init), false),
        options
      )
  ]
]

export async function textOf(items: unknown): Promise<string> {
  return Buffer.concat(await itemsOf<Uint8Array>(items)).toString()
}

/** The error of a call that has to fail, wherever it does. */
export async function failureOf(t: ExecutionContext, work: () => Promise<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    const result = await work()
    if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result) await itemsOf(result)
  } catch (error) {
    return error as Error & Record<string, unknown>
  }
  t.fail('the call should have failed')
  throw new Error('unreachable')
}
