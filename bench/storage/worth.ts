/**
 * What the journal and the memory for values are worth: `block/put` and `block/get` of 1 KiB over the RPC by turns, of a node as it is, of one
 * without a journal, and of one without that memory. Ratios are those of the first to the others.
 * `node dist/bench/storage/worth.js [rounds, 9]`
 */
import { randomFillSync } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BlockClient } from '../support/block-client.ts'
import { benchFolder, startNode } from '../support/node.ts'
import { median, report, seconds } from '../support/report.ts'

const [rounds = '9'] = process.argv.slice(2)
const SIZE = 1024
/** Rounds that are not measured, until all code is compiled. */
const WARM_UP = 3

const SETTINGS = { 'as it is': {}, 'without a journal': { journal: 0 }, 'without memory for values': { cache: 0 } } as const

const noise = randomFillSync(Buffer.alloc(SIZE))
let serial = 0

/** @returns how many a second */
async function rate(count: number, atATime: number, work: () => Promise<unknown>): Promise<number> {
  let left = count
  const caller = async () => {
    while (left-- > 0) await work()
  }
  return count / (await seconds(() => Promise.all(Array.from({ length: atATime }, caller))))
}

async function start(settings: object) {
  const folder = await benchFolder()
  await mkdir(join(folder, 'repo'))
  await writeFile(join(folder, 'holdfast.config.json'), JSON.stringify({ plugins: { 'storage-rocksdb': settings } }))
  const node = await startNode(join(folder, 'repo'))
  const client = new BlockClient(node.port)
  let keys: string[] = []
  let next = 0
  const put = async () => {
    keys.push(await client.put(noise, serial++))
  }
  const get = () => client.get(keys[next++ % keys.length]!, SIZE)
  return {
    rows: {
      'block/put of 1 KiB, one at a time': () => {
        keys = []
        return rate(1000, 1, put)
      },
      'block/put, 16 at a time': () => rate(4000, 16, put),
      'block/get of what was put last, one at a time': () => rate(1000, 1, get),
      'block/get, 16 at a time': () => rate(4000, 16, get)
    },
    async stop() {
      client.close()
      await node.stop()
      await rm(folder, { recursive: true, force: true })
    }
  }
}

const nodes = await Promise.all(
  Object.entries(SETTINGS).map(async ([who, settings]) => ({ who, rates: {} as Record<string, number[]>, ...(await start(settings)) }))
)
try {
  for (let round = -WARM_UP; round < Number(rounds); round++)
    // Each comes first in turn: what the one before left to do goes on meanwhile.
    for (const name of Object.keys(nodes[0]!.rows) as Array<keyof (typeof nodes)[0]['rows']>)
      for (let turn = 0; turn < nodes.length; turn++) {
        const { rates, rows } = nodes[(turn + round + WARM_UP) % nodes.length]!
        const reached = await rows[name]()
        if (round >= 0) rates[name] = [...(rates[name] ?? []), reached]
      }
  const [mine, ...others] = nodes
  for (const { who, rates } of others)
    for (const [name, all] of Object.entries(mine!.rates))
      report({ name: `${name}, against one ${who}`, measured: median(all), against: median(rates[name]!), unit: '/s', atLeast: 0.95 })
} finally {
  for (const { stop } of nodes) await stop()
}
