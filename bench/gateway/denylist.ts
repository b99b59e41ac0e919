/** A denylist of a million rules: how long it takes to read, how much memory it takes, and what a look takes. */
import { createHash } from 'node:crypto'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { createMultihash } from '../../core/cid/index.ts'
import { Lists } from '../../plugins/denylist/load.ts'
import { report, seconds } from '../support/report.ts'

const RULES = 1_000_000
const LOOKS = 20_000

const digest = (i: number) => createHash('sha256').update(String(i)).digest()
const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'))
try {
  const path = join(folder, 'million.deny')
  const file = await open(path, 'w')
  for (let at = 0; at < RULES; at += 10_000) {
    await file.write(Array.from({ length: 10_000 }, (_, i) => `//${digest(at + i).toString('hex')}\n`).join(''))
  }
  await file.close()
  const lists = new Lists()
  const took = await seconds(() => lists.read(path, { most: 2 * RULES, log: console }))
  const hashed = await seconds(async () => {
    for (let i = 0; i < RULES; i++) digest(i)
  })
  report({ name: 'denylist, a million rules read, against their SHA-256', measured: took, against: hashed, unit: 's', atMost: 12 })
  report({ name: 'denylist, memory of a rule', measured: lists.rules.bytes / RULES, against: 64, unit: 'bytes', atMost: 1 })
  const cids = Array.from({ length: LOOKS }, (_, i) => CID.createV1(0x55, createMultihash(0x12, digest(-i))))
  const plain = await seconds(async () => {
    for (const cid of cids) digest(cid.multihash.digest[0]!)
  })
  const looked = await seconds(async () => {
    for (const cid of cids) lists.rules.ofBlock(cid)
  })
  const micro = 1e6 / LOOKS
  report({ name: 'denylist, a look, against SHA-256 of a word', measured: looked * micro, against: plain * micro, unit: 'µs', atMost: 40 })
} finally {
  await rm(folder, { recursive: true })
}
