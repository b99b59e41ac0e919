/**
 * Callers who write, remove, read, list and sync the same keys at once, while RocksDB takes its time or nothing, writes of the journal fail
 * or are done in part, files of it are switched, and the process dies. Writes have one order, that in which they were asked for; so whatever
 * a reader or a start sees of all keys is what some beginning of them left, one that has all that was answered before.
 */
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import type { Write } from '../../../../plugins/storage-rocksdb/database/writes.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { type Random, seeded } from '../../../helpers/random.ts'
import { bytesOf, put, remove, textOf, textsIn } from './entries.ts'
import { batches, inLoop } from './interception.ts'
import { killed, openDatabase } from './repo.ts'

const ROUNDS = Number(process.env['JOURNAL_ROUNDS'] ?? 12)
const SEED = Number(process.env['JOURNAL_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const CALLERS = 6
const STEPS = 40
const KEYS = 10

type Texts = Readonly<Record<string, string>>

/** All writes so far in the order in which they were asked for. */
class History {
  /** Undefined: refused, so that it never happened. */
  readonly #writes: Array<readonly Write[] | undefined> = []
  readonly #start: Texts
  /** The number of writes up to the last one that was answered. */
  answered = 0

  constructor(start: Texts) {
    this.#start = start
  }

  get asked(): number {
    return this.#writes.length
  }

  async add(writes: readonly Write[], write: () => Promise<void>): Promise<void> {
    const index = this.#writes.push(writes) - 1
    try {
      await write()
      this.answered = Math.max(this.answered, index + 1)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'E_STORAGE_WRITE') throw error
      this.#writes[index] = undefined
    }
  }

  /** How many writes left these texts, of those from `first` up to `last`. @returns undefined where none did */
  find(first: number, last: number, matches: (texts: Texts) => boolean): number | undefined {
    const texts = { ...this.#start }
    for (let i = 0; i <= last; i++) {
      if (i >= first && matches(texts)) return i
      for (const { key, value } of this.#writes[i] ?? []) {
        if (value === undefined) delete texts[textOf(key)!]
        else texts[textOf(key)!] = short(textOf(value)!)
      }
    }
    return undefined
  }
}

const short = (text: string): string => text.slice(0, text.indexOf('.'))
const shortened = (texts: Texts): Texts => Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, short(text)]))
const same = (one: Texts, other: Texts): boolean =>
  Object.keys(one).length === Object.keys(other).length && Object.entries(one).every(([key, text]) => other[key] === text)

/** What goes wrong in a life. */
interface Trouble {
  readonly slow: boolean
  readonly refuses: boolean
  readonly journal: boolean
}

function troubled(random: Random, trouble: Trouble): () => void {
  const restores = [
    batches(async write => {
      if (trouble.slow && random.below(3) === 0) await setTimeout(random.below(random.below(8) === 0 ? 150 : 15))
      if (trouble.refuses && random.below(12) === 0) throw new Error('no space')
      await write()
    }),
    inLoop('writeSync', (call, fd, bytes, done, size, at) => {
      const kind = trouble.journal ? random.below(30) : 9
      if (kind === 0) throw new Error('nothing is written')
      const part = kind === 1 || kind === 2 ? Math.ceil((size as number) / 2) : size
      const written = call(fd, bytes, done, part, at)
      if (kind === 1) throw new Error('half of it is written')
      return written
    }),
    inLoop('ftruncateSync', (call, ...args) => {
      if (random.below(2) === 0) throw new Error('it cannot be cut off')
      return call(...args)
    })
  ]
  return () => {
    for (const restore of restores) restore()
  }
}

async function live(t: ExecutionContext, repo: string, random: Random, where: string): Promise<string> {
  const { database } = await openDatabase(t, repo, { journal: (8 << random.below(6)) << 10 })
  const history = new History(shortened(await textsIn(database)))
  const kind = random.below(4)
  const end = troubled(random, { slow: random.below(2) === 0, refuses: kind === 1, journal: kind === 2 })
  let serial = 0
  const write = async () => {
    const text = `${where} ${serial++}.`
    const writes = Array.from({ length: 1 + random.below(4) }, () => {
      const key = `k${random.below(KEYS)}`
      const size = random.below(12)
      if (size < 3) return remove(key)
      return put(key, text.padEnd(size === 3 ? 40_000 : 1 + random.below(1500), '.'))
    })
    await history.add(writes, () => database.write(writes))
  }
  const list = async () => {
    const first = history.answered
    const range = random.below(3) === 0 ? { gte: bytesOf('k3'), lt: bytesOf('k7') } : {}
    const texts: Record<string, string> = {}
    for await (const { key, value } of database.entries('data', range)) texts[textOf(key)!] = short(textOf(value)!)
    const isWithin = ([key]: [string, string]) => range.gte === undefined || (key >= 'k3' && key < 'k7')
    const found = history.find(first, history.asked, all => same(texts, Object.fromEntries(Object.entries(all).filter(isWithin))))
    t.not(found, undefined, `${where}: a list from ${first} to ${history.asked} has ${JSON.stringify(texts)}`)
  }
  const read = async () => {
    const first = history.answered
    const keys = Array.from({ length: 1 + random.below(3) }, () => `k${random.below(KEYS)}`)
    const values = await database.getAll('data', keys.map(bytesOf))
    keys.forEach((key, i) => {
      const text = values[i] && short(textOf(values[i])!)
      const found = history.find(first, history.asked, all => all[key] === text)
      t.not(found, undefined, `${where}: ${key} from ${first} to ${history.asked} is ${text}`)
    })
  }
  const deaths: Array<{ readonly copy: string; readonly first: number; readonly last: number }> = []
  const die = async () => {
    const first = history.answered
    const copy = await killed(t, repo)
    deaths.push({ copy, first, last: history.asked })
  }
  const caller = async (number: number) => {
    for (let step = 0; step < STEPS; step++) {
      const kind = random.below(40)
      if (kind < 24) await write()
      else if (kind < 31) await read()
      else if (kind < 36) await list()
      else if (kind < 38) await database.sync().catch(() => {})
      else if (kind < 39 && number === 0) await die()
      else await setTimeout(random.below(30))
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, i) => caller(i)))
  end()
  await list()
  await die()
  for (const { copy, first, last } of deaths) {
    const again = await openDatabase(t, copy)
    const texts = shortened(await textsIn(again.database))
    t.is(again.database.damage, undefined, where)
    await again.database.close()
    const found = history.find(first, last, all => same(texts, all))
    t.not(found, undefined, `${where}: after a death from ${first} to ${last} there is ${JSON.stringify(texts)}`)
  }
  // Where RocksDB refused the last one, this has it take all there is.
  await database.write([put('end', 'end.')])
  await database.close()
  return random.below(2) === 0 ? repo : deaths.at(-1)!.copy
}

test.serial(`${ROUNDS} times three lives of six callers at once`, async t => {
  t.timeout(60_000 + ROUNDS * 20_000)
  t.log(`seed ${SEED} (JOURNAL_SEED repeats it, JOURNAL_ROUNDS says how often)`)
  for (let round = 0; round < ROUNDS; round++) {
    const random = seeded(SEED + round)
    let repo = join(await temporaryFolder(t), 'repo')
    for (let life = 0; life < 3; life++) repo = await live(t, repo, random, `${SEED + round}/${life}`)
  }
})
