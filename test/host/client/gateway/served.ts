import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import { type CarScope, selectBlocks } from '../../../../core/car/selection.ts'
import { writeCar } from '../../../../core/car/writer.ts'
import type { Block } from '../../../../core/index.ts'
import type { Timer } from '../../../../host/client/gateway/index.ts'
import { type Blocks, noise, sourcesOf, unixfs } from '../../../core/unixfs/export/blocks.ts'

/** What a gateway does in place of what it should; undefined: nothing else. */
export interface Tricks {
  /** Answers a request itself. @returns whether it has */
  answer?(request: IncomingMessage, response: ServerResponse): boolean
  /** Changes the blocks of a CAR. */
  car?(blocks: AsyncIterable<Block>): AsyncIterable<Block>
  /** Breaks a CAR off behind so many bytes. */
  breakAfter?: number
}

export interface Served {
  readonly url: string
  /** What was asked for, in order: `raw CID`, `car PATH SCOPE`. */
  readonly asked: string[]
  /** Header fields of each request. */
  readonly headers: IncomingMessage['headers'][]
}

/** A trustless gateway on loopback over blocks in memory. */
export async function serve(t: ExecutionContext, blocks: Blocks, tricks: Tricks = {}): Promise<Served> {
  const asked: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://gateway')
    const [, , root = '', ...segments] = url.pathname.split('/')
    const isCar = url.searchParams.get('format') === 'car'
    asked.push(isCar ? `car ${[root, ...segments].join('/')} ${url.searchParams.get('dag-scope')}` : `raw ${root}`)
    headers.push(request.headers)
    if (tricks.answer?.(request, response) === true) return
    const respond = isCar ? car : raw
    void respond(CID.parse(root), { url, response, segments: segments.map(decodeURIComponent), blocks, tricks }).catch(() => {
      if (response.headersSent) response.destroy()
      else response.writeHead(404).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, asked, headers }
}

interface Asked {
  readonly url: URL
  readonly response: ServerResponse
  readonly segments: readonly string[]
  readonly blocks: Blocks
  readonly tricks: Tricks
}

async function raw(cid: CID, { response, blocks }: Asked): Promise<void> {
  const bytes = await blocks.get(cid)
  response.writeHead(200, { 'content-type': 'application/vnd.ipld.raw' }).end(bytes)
}

async function car(cid: CID, { url, response, segments, blocks, tricks }: Asked): Promise<void> {
  const scope = url.searchParams.get('dag-scope') as CarScope
  const selected = await selectBlocks(cid, segments, { scope }, sourcesOf(blocks))
  response.writeHead(200, { 'content-type': 'application/vnd.ipld.car; version=1; order=dfs; dups=n' })
  const { car = (blocks: AsyncIterable<Block>) => blocks, breakAfter = Number.POSITIVE_INFINITY } = tricks
  let sent = 0
  for await (const bytes of writeCar([cid], car(selected.blocks()))) {
    sent += bytes.length
    if (response.destroyed) return
    const room = response.write(sent > breakAfter ? bytes.subarray(0, Math.max(0, bytes.length - sent + breakAfter)) : bytes)
    if (sent > breakAfter) {
      // what was written is on its way before the connection ends
      await new Promise<void>(resolve => response.write('', () => resolve()))
      response.destroy()
      return
    }
    if (!room) await drained(response)
  }
  response.end()
}

/** A timer that never rings by itself, and what those of one duration would do. */
export function heldTimer(held: number) {
  const acts = new Set<() => void>()
  const timer: Timer = (act, duration) => {
    if (duration === held) acts.add(act)
    return () => acts.delete(act)
  }
  return { timer, acts }
}

/** A folder with a large file of leaves in two levels, a small one, one in a folder, a symlink; and what they hold. */
export async function site(blocks: Blocks, leaves = 40, leafSize = 20_000) {
  const parts: Uint8Array[] = []
  const inner: Array<readonly [CID, number]> = []
  for (let from = 0; from < leaves; from += 10) {
    const pieces = Array.from({ length: Math.min(10, leaves - from) }, (_, i) => noise(leafSize, from + i + 1))
    parts.push(...pieces)
    const cids = await Promise.all(pieces.map(piece => blocks.add(0x55, piece)))
    const size = pieces.length * leafSize
    const sizes = pieces.map(() => BigInt(leafSize))
    inner.push([
      await blocks.pb(
        unixfs({ type: 2, size: BigInt(size), sizes }),
        cids.map(cid => ['', cid, leafSize] as const)
      ),
      size
    ])
  }
  const sizes = inner.map(([, size]) => BigInt(size))
  const large = await blocks.pb(
    unixfs({ type: 2, size: BigInt(leaves * leafSize), sizes }),
    inner.map(([cid, size]) => ['', cid, size] as const)
  )
  const small = await blocks.add(0x55, Buffer.from('small\n'))
  const folder = await blocks.pb(unixfs({ type: 1 }), [['a b.txt', small, 6]])
  const link = await blocks.pb(unixfs({ type: 4, data: Buffer.from('small.txt') }))
  const root = await blocks.pb(unixfs({ type: 1 }), [
    ['folder', folder, 60],
    ['large.bin', large, leaves * leafSize],
    ['link', link, 20],
    ['small.txt', small, 6]
  ])
  return { root, large, small, folder, link, inner: inner.map(([cid]) => cid), content: Buffer.concat(parts) }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}
