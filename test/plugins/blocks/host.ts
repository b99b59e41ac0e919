import type { ExecutionContext } from 'ava'
import type { CID } from 'multiformats/cid'
import { cidToString } from '../../../core/cid/parse.ts'
import { type AnyProvision, type Body, type BodyPart, type Pinned, Pins, ready } from '../../../core/index.ts'
import { type NodeHost } from '../../../host/host.ts'
import { testHost } from '../../../host/testing.ts'
import { itemsUntilError } from '../../helpers/streams.ts'

/** What block/put and block/stat answer. */
export interface Stat {
  Key: string
  Size: number
}

/** A part of an upload as a test names it. */
export interface Part {
  readonly data?: Uint8Array | string
  readonly path?: string
  readonly kind?: BodyPart['kind']
}

/** Pins that know only what a test told them. */
export class FakePins implements Partial<Pins> {
  readonly added: string[] = []
  readonly reasons = new Map<string, Pinned>()
  broken: Error | undefined
  asked = 0
  forgotten = 0

  async addWritten(cid: CID): Promise<void> {
    this.added.push(cidToString(cid))
  }

  async forgetProgress(): Promise<void> {
    this.forgotten++
  }

  async why(cids: readonly CID[]): Promise<ReadonlyMap<string, Pinned>> {
    this.asked++
    if (this.broken !== undefined) throw this.broken
    return new Map([...this.reasons].filter(([cid]) => cids.some(one => cidToString(one) === cid)))
  }
}

export interface Setup {
  readonly services?: readonly AnyProvision[]
  readonly settings?: Record<string, unknown>
}

/** The built-ins over stores in memory, with these pins in place of theirs. */
export async function blockHost(t: ExecutionContext, { services = [], settings = {} }: Setup = {}) {
  const pins = new FakePins()
  const host = await testHost({
    services: [ready(Pins, pins as unknown as Pins), ...services],
    configuration: { plugins: { blocks: settings } as never }
  })
  t.teardown(() => host.stop())
  return { host, pins }
}

export async function* upload(...parts: Part[]): Body {
  for (const { data = '', path = '/f', kind = 'file' } of parts)
    yield {
      path,
      kind,
      headers: {},
      async *bytes() {
        yield typeof data === 'string' ? new TextEncoder().encode(data) : data
      }
    }
}

export async function put(host: NodeHost, data: Uint8Array | string, options: Record<string, unknown> = {}): Promise<string> {
  const { items, error } = await itemsUntilError<Stat>(host.call('block/put', { body: upload({ data }), options }))
  if (error !== undefined) throw new Error(error)
  return (items[0] as Stat).Key
}

export async function get(host: NodeHost, cid: string, options: Record<string, unknown> = {}): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of (await host.call('block/get', { args: [cid], options })) as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return Buffer.concat(chunks)
}
