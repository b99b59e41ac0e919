import type { CID } from 'multiformats/cid'
import { checkCidSecurity } from '../../../core/cid/hashes.ts'
import { cidToString } from '../../../core/cid/parse.ts'
import { type AnyProvision, type Block, Blocks, type Body, type BodyPart, type Plugin, ready } from '../../../core/index.ts'
import { testHost } from '../../../host/testing.ts'
import dag from '../../../plugins/dag/index.ts'

export type Host = Awaited<ReturnType<typeof testHost>>

/** Blocks in a map, as an offline node has them. */
export class MapBlocks implements Blocks {
  readonly map = new Map<string, Uint8Array>()

  async get(cid: CID): Promise<Uint8Array> {
    const bytes = this.map.get(cidToString(cid))
    if (bytes === undefined) throw new Error(`no ${cidToString(cid)}`)
    return bytes
  }

  async put(cid: CID, bytes: Uint8Array): Promise<void> {
    checkCidSecurity(cid)
    this.map.set(cidToString(cid), bytes)
  }

  async putAll(blocks: readonly Block[]): Promise<void> {
    for (const { cid, bytes } of blocks) await this.put(cid, bytes)
  }

  async has(cid: CID): Promise<boolean> {
    return this.map.has(cidToString(cid))
  }

  async size(cid: CID): Promise<number> {
    return (await this.get(cid)).length
  }

  async delete(cid: CID): Promise<boolean> {
    return this.map.delete(cidToString(cid))
  }

  async *list(): AsyncIterable<CID> {}
}

interface Options {
  services?: readonly AnyProvision[]
  settings?: Record<string, unknown>
  plugins?: readonly Plugin[]
}

export async function dagHost(
  t: { teardown(fn: () => Promise<unknown>): void },
  { services = [], settings = {}, plugins = [] }: Options = {}
) {
  const blocks = new MapBlocks()
  const host = await testHost({
    builtIns: false,
    plugins: [dag, ...plugins],
    services: [ready(Blocks, blocks), ...services],
    configuration: { plugins: { dag: settings } }
  })
  t.teardown(() => host.stop())
  return { host, blocks }
}

export async function* upload(...parts: Array<string | Uint8Array | { kind: BodyPart['kind'] }>): Body {
  for (const part of parts) {
    const given = typeof part === 'string' || part instanceof Uint8Array
    yield {
      path: '/f',
      kind: given ? 'file' : part.kind,
      headers: {},
      async *bytes() {
        if (given) yield Buffer.from(part as string)
      }
    }
  }
}
