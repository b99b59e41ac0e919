import test from 'ava'
import { CID } from 'multiformats/cid'
import type { Command } from '../../../core/index.ts'
import { put } from '../../../plugins/dag/commands/put.ts'
import { resolve } from '../../../plugins/dag/commands/resolve.ts'
import { stat } from '../../../plugins/dag/commands/stat.ts'

const DIR = 'QmReEUBqkZhX9qeNPk698yxxUCW71iQwjhcnhzwWPd1Vgt'
const CBOR = 'bafyreiblu4ivy3t5adpjpwby7lbtyimsbphhucapj3lwzpopyqyiol4ham'

function text({ text }: Command, item: unknown, options: Record<string, unknown> = {}): string {
  return (text as (item: unknown, call: unknown) => string)(item, { options })
}

test('dag/stat as text is a table and a summary', t => {
  const one = { Cid: DIR, Size: 204, NumBlocks: 4 }
  const two = { Cid: 'Qmdonp7zspfGtE2jAu8RLoUGYYnmafaU3D63DqVUZy7uCv', Size: 116, NumBlocks: 3 }
  t.is(
    text(stat, { UniqueBlocks: 6, TotalSize: 308, SharedSize: 12, Ratio: 1.038961, DagStats: [one, two] }),
    `\nCID                                           \tBlocks         \tSize\n${DIR}\t4              \t204\n${two.Cid}\t3              \t116\n\nSummary\nTotal Size: 308\nUnique Blocks: 6\nShared Size: 12\nRatio: 1.038961\n\n\n`
  )
})

test('CIDs in text take the base asked for, and version 0 stays unless its upgrade is asked for', t => {
  const of = (cid: string) => ({ Cid: { '/': cid } })
  t.is(text(put, of(CBOR), { cidBase: 'base36' }), 'k2jvsl6h8amr27ezvlw0m86u05wxiuh47s9vpw0qow2aa9jhlrva91qb\n')
  t.is(text(resolve, { ...of(CBOR), RemPath: '/leaf' }, { cidBase: 'base58btc' }), 'zdpuAoMqmYiDyrMe3q4tE1BvEkkjy72tmaVygAWAv8ZzBkH2J/leaf')
  t.is(text(resolve, { ...of(DIR), RemPath: '' }, { cidBase: 'base32' }), DIR)
  t.is(text(resolve, { ...of(DIR), RemPath: '' }, { upgradeCidv0InOutput: true }), String(CID.parse(DIR).toV1()))
})
