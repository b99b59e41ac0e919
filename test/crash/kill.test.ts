/** What was acknowledged is there after `kill -9` at any instant, and the repo opens without help. */
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { type Daemon, startDaemon } from '../helpers/daemon.ts'
import { temporaryFolder } from '../helpers/folder.ts'
import { type Random, seeded } from '../helpers/random.ts'

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 50)
const SEED = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

interface Acknowledged {
  /** `block`: it is stored. `pin`: it and all below are stored and pinned. */
  readonly what: 'block' | 'pin'
  readonly cid: string
}

async function post(url: string, path: string, parts: ReadonlyArray<readonly [string, Uint8Array<ArrayBuffer>]> = []): Promise<string> {
  const form = new FormData()
  for (const [name, bytes] of parts) form.append('file', new Blob([bytes]), name)
  const response = await fetch(`${url}/api/v0/${path}`, { method: 'POST', body: parts.length > 0 ? form : undefined })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return text
}

const last = (lines: string) => JSON.parse(lines.trim().split('\n').at(-1)!) as { Hash: string; Key: string }

/** Sends requests until the node dies under them. Only what was answered in full is written down. */
async function work(url: string, random: Random, acknowledge: (fact: Acknowledged) => Promise<void>): Promise<void> {
  for (;;) {
    const kind = random.below(4)
    if (kind === 0) {
      const { Hash } = last(await post(url, 'add', [['file', random.bytes(random.below(1_500_000))]]))
      await acknowledge({ what: 'pin', cid: Hash })
    } else if (kind === 1) {
      const files = Array.from({ length: 1 + random.below(20) }, (_, i) => [`folder%2F${i}`, random.bytes(random.below(5000))] as const)
      await acknowledge({ what: 'pin', cid: last(await post(url, 'add', files)).Hash })
    } else if (kind === 2) {
      const { Key } = last(await post(url, 'block/put', [['b', random.bytes(1 + random.below(200_000))]]))
      await acknowledge({ what: 'block', cid: Key })
    } else {
      const { Hash } = last(await post(url, 'add?pin=false', [['file', random.bytes(random.below(600_000))]]))
      await post(url, `pin/add?arg=${Hash}`)
      await acknowledge({ what: 'pin', cid: Hash })
    }
  }
}

async function verify(t: ExecutionContext, { url }: Daemon, facts: readonly Acknowledged[]): Promise<void> {
  for (const { what, cid } of facts) {
    const cids = [cid]
    if (what === 'pin') {
      const { Keys } = JSON.parse(await post(url, `pin/ls?arg=${cid}&type=recursive`)) as { Keys: Record<string, { Type: string }> }
      t.is(Keys[cid]?.Type, 'recursive')
      for (const line of (await post(url, `refs?arg=${cid}&recursive=true&unique=true`)).split('\n').filter(Boolean)) {
        const { Ref, Err } = JSON.parse(line) as { Ref: string; Err: string }
        t.is(Err, '')
        cids.push(Ref)
      }
    }
    for (const one of cids) {
      const response = await fetch(`${url}/api/v0/block/get?arg=${one}`, { method: 'POST' })
      t.is(response.status, 200, `${one} below ${cid}`)
      const digest = await sha256.digest(new Uint8Array(await response.arrayBuffer()))
      t.deepEqual(digest.bytes, CID.parse(one).multihash.bytes)
    }
  }
}

test(`${ROUNDS} times kill -9 during add, block/put and pin/add loses nothing that was acknowledged`, async t => {
  t.timeout(ROUNDS * 20_000)
  t.log(`seed ${SEED} (CRASH_SEED repeats it, CRASH_ROUNDS says how often)`)
  const random = seeded(SEED)
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const expected = join(folder, 'acknowledged')
  await appendFile(expected, '')
  let total = 0
  for (let round = 0; round < ROUNDS; round++) {
    const daemon = await startDaemon(repo)
    t.teardown(() => daemon.kill())
    const facts = (await readFile(expected, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as Acknowledged)
    // the newest facts each time, all of them at the end: a loss does not heal
    await verify(t, daemon, facts.slice(-12))
    const workers = Array.from({ length: 4 }, () =>
      work(daemon.url, random, fact => appendFile(expected, `${JSON.stringify(fact)}\n`)).catch(() => {})
    )
    await new Promise(resolve => setTimeout(resolve, 50 + random.below(700)))
    await daemon.kill()
    await Promise.all(workers)
  }
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  const facts = (await readFile(expected, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as Acknowledged)
  await verify(t, daemon, facts)
  total = facts.length
  t.log(`${total} acknowledged blocks and pins`)
  t.true(total > ROUNDS)
  t.is(await daemon.stop(), 0)
})
