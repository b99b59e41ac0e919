import type { CID } from 'multiformats/cid'
import { Blocks, ready } from '../../../core/index.ts'
import { testHost } from '../../../host/testing.ts'
import content from '../../../plugins/content/index.ts'
import dag from '../../../plugins/dag/index.ts'
import { Blocks as BlocksInMemory, noise, unixfs } from '../../core/unixfs/export/blocks.ts'

/** What a call may have. */
export interface Request {
  readonly args?: readonly unknown[]
  readonly options?: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
}

/** A host with nothing but blocks in memory, and files in it: `text` (5 bytes), `large` in three blocks, a symlink, a folder of them. */
export async function contentHost(t: { teardown(fn: () => Promise<unknown>): void }, settings: Record<string, unknown> = {}) {
  const blocks = new BlocksInMemory()
  const host = await testHost({
    builtIns: false,
    plugins: [dag, content],
    services: [ready(Blocks, blocks as unknown as Blocks)],
    configuration: { plugins: { content: settings } }
  })
  t.teardown(() => host.stop())
  const text = await blocks.pb(unixfs({ type: 2, data: Buffer.from('text\n'), size: 5n }))
  const parts = await Promise.all([0, 1, 2].map(i => blocks.add(0x55, noise(30_000, i))))
  const size = 90_000n
  const large = await blocks.pb(
    unixfs({ type: 2, size, sizes: [30_000n, 30_000n, 30_000n] }),
    parts.map(part => ['', part, 30_000] as const)
  )
  const link = await blocks.pb(unixfs({ type: 4, data: Buffer.from('large') }))
  const sub = await blocks.pb(unixfs({ type: 1 }), [['again', text, 13]])
  const entries: Array<[string, CID, number]> = [
    ['large', large, 90_200],
    ['link', link, 11],
    ['sub', sub, 70],
    ['text', text, 13]
  ]
  const folder = await blocks.pb(unixfs({ type: 1 }), entries)
  return { host, blocks, at: { text, large, link, sub, folder, part: parts[1]! } }
}

/** Everything of a reply of bytes, and how it ended. */
export async function bytesOf(reply: unknown): Promise<{ bytes: Buffer; error: string | undefined }> {
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of (await reply) as AsyncIterable<Uint8Array>) pieces.push(piece)
    return { bytes: Buffer.concat(pieces), error: undefined }
  } catch (error) {
    return { bytes: Buffer.concat(pieces), error: (error as Error).message }
  }
}
