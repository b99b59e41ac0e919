import { createHash } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { readCar } from '../../../../core/car/index.ts'
import { tarNames } from '../../../helpers/streams.ts'
import type { Answer, World } from '../world.ts'

type Fields = Readonly<Record<string, string | RegExp | undefined>>

/** A request, and what it is answered. `{NAME}` stands for what the world calls so. */
export interface Row {
  readonly title: string
  readonly method?: string
  readonly host?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  /** undefined: the field must not be there. */
  readonly fields?: Fields
  readonly text?: string | RegExp
  /** The blocks of the body, which is a CAR, by name or CID. */
  readonly blocks?: readonly string[]
  readonly roots?: readonly string[]
  /** The entries of the body, which is a tar archive. */
  readonly entries?: readonly string[]
  /** Whether the answer is broken off. */
  readonly isCut?: boolean
}

/** A node, and the names that its rows use. */
export interface Setting {
  readonly at: World
  readonly names: Readonly<Record<string, string>>
}

/** Makes what the tests of a file share before the first of them, and ends it behind the last. @returns how a test gets it */
export function shared<T>(make: (t: Pick<ExecutionContext, 'teardown'>) => Promise<T>): () => Promise<T> {
  let made: Promise<T>
  const finished: Array<() => unknown> = []
  test.before(async () => {
    made = make({ teardown: fn => void finished.push(fn) })
    await made
  })
  test.after.always(async () => {
    for (const finish of finished) await finish()
  })
  return () => made
}

/** Makes a node before the tests, and each row a test of it, its title behind the section's. @returns how other tests get the node */
export function hold(
  section: string | undefined,
  make: (t: Pick<ExecutionContext, 'teardown'>) => Promise<Setting>,
  rows: readonly Row[]
): () => Promise<Setting> {
  const made = shared(make)
  for (const row of rows) test(section === undefined ? row.title : `${section}: ${row.title}`, async t => check(t, row, await made()))
  return made
}

/** A request with headers. */
export function asked(title: string, path: string, headers: NonNullable<Row['headers']>, status: number, more: Partial<Row> = {}): Row {
  return { title, path, headers, status, ...more }
}

/** A request to a host. */
export function onHost(title: string, host: string, path: string, status: number, text?: string | RegExp): Row {
  return { title, host, path, status, text }
}

/** A request that is sent on to another place. */
export function sentOn(title: string, host: string, path: string, location: string, more: Partial<Row> = {}): Row {
  return { title, host, path, status: 301, fields: { location }, ...more }
}

async function check(t: ExecutionContext, row: Row, { at, names }: Setting): Promise<void> {
  const { method, host, path, headers = {}, status, fields = {}, text, blocks, roots, entries, isCut = false } = row
  const fill = (text: string) => text.replace(/\{([A-Z][A-Z0-9_]*)\}/g, (whole, name: string) => names[name] ?? whole)
  const sent = { ...(host !== undefined && { host }), ...headers }
  const filled = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, fill(value)]))
  const answer = await at.ask({ method, path: fill(path), headers: filled })
  t.is(answer.status, status, answer.text.slice(0, 500))
  t.is(answer.isCut, isCut)
  const matcher = ({ source, flags }: RegExp) => new RegExp(fill(source), flags)
  for (const [name, wanted] of Object.entries(fields)) {
    const found = answer.headers[name]
    const shown = Array.isArray(found) ? found.join(', ') : found
    if (wanted instanceof RegExp) t.regex(shown ?? '', matcher(wanted), name)
    else t.is(shown, wanted === undefined ? undefined : fill(wanted), name)
  }
  if (typeof text === 'string') t.is(answer.text, fill(text))
  else if (text !== undefined) t.regex(answer.text, matcher(text))
  if (blocks !== undefined) {
    const car = await carOf(answer)
    t.deepEqual(car.blocks, blocks.map(fill))
    if (roots !== undefined) t.deepEqual(car.roots, roots.map(fill))
  }
  if (entries !== undefined) t.deepEqual(await tarNames(answer.bytes), entries.map(fill))
}

async function carOf({ bytes }: Answer): Promise<{ roots: string[]; blocks: string[] }> {
  const car = await readCar(
    (async function* () {
      yield bytes
    })()
  )
  const blocks: string[] = []
  for await (const { cid, bytes } of car.blocks()) {
    const isSha256 = cid.multihash.code === 0x12
    if (isSha256 && !createHash('sha256').update(bytes).digest().equals(cid.multihash.digest)) throw new Error(`${cid} is another block`)
    blocks.push(String(cid))
  }
  return { roots: car.roots.map(String), blocks }
}
