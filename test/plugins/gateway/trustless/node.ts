import type { ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import { Blocks } from '../../../../core/index.ts'
import { serve, testHost } from '../../../../host/testing.ts'
import { Blocks as BlocksInMemory, noise, unixfs } from '../../../core/unixfs/export/blocks.ts'

/** A node in memory whose gateway is open, and what is stored on it. */
export async function gateway(t: ExecutionContext) {
  const host = await testHost()
  t.teardown(() => host.stop())
  const { listeners } = await serve(host)
  const url = listeners['gateway']!
  const blocks = host.service(Blocks)!
  const made = new BlocksInMemory()
  const store = async () => {
    for (const [multihash, bytes] of made.map) {
      const digest = Buffer.from(multihash, 'base64')
      await blocks.put(CID.decode(Buffer.concat([Buffer.from([1, 0x55]), digest])), bytes)
    }
  }
  return {
    host,
    url,
    blocks,
    made,
    store,
    get: (path: string, init?: RequestInit) => fetch(`${url}${path}`, { redirect: 'manual', ...init })
  }
}

/** A file in three leaves, in a folder beside a small one. */
export async function folder(made: BlocksInMemory) {
  const content = noise(90_000, 7)
  const leaves = await Promise.all([0, 1, 2].map(i => made.add(0x55, content.slice(i * 30_000, (i + 1) * 30_000))))
  const sizes = [30_000n, 30_000n, 30_000n]
  const file = await made.pb(
    unixfs({ type: 2, size: 90_000n, sizes }),
    leaves.map(leaf => ['', leaf, 30_000] as const)
  )
  const small = await made.add(0x55, Buffer.from('small\n'))
  const inner = await made.pb(unixfs({ type: 1 }), [
    ['large', file, 90_000],
    ['small', small, 6]
  ])
  const root = await made.pb(unixfs({ type: 1 }), [
    ['inner', inner, 90_100],
    ['other', small, 6]
  ])
  return { content, leaves, file, small, inner, root }
}
