/** Stores that fail: no false success, an error that says what failed, and nothing lost or in the way of the next attempt. */
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import type { Body } from '../../core/index.ts'
import { createHost } from '../../host/create.ts'
import { type NodeHost } from '../../host/host.ts'
import { uploadOf } from '../core/unixfs/import/upload.ts'
import { temporaryFolder } from '../helpers/folder.ts'
import { type Random, seeded } from '../helpers/random.ts'
import { openRocks } from '../plugins/storage/backends.ts'
import type { PinState } from './support/expected.ts'
import { Faults, faultyStorage, type InnerStores, type Mode } from './support/faults.ts'
import { carOf, rawCid } from './support/rpc.ts'

/** More writes than any of these operations needs. */
const MOST_WRITES = 60

interface Call {
  readonly args?: readonly unknown[]
  readonly options?: Readonly<Record<string, unknown>>
  readonly body?: () => Body
}

/** One operation on what was prepared for it. */
interface Attempt {
  readonly call: Call
  readonly pins?: Readonly<Record<string, PinState>>
  readonly stored?: readonly string[]
  /** It pins what only its answer names. */
  readonly pinsOneMore?: boolean
  readonly removed?: readonly string[]
  /** Content of files of the mutable tree; undefined: there is none. */
  readonly files?: Readonly<Record<string, Uint8Array | undefined>>
  /** It tries again by itself, so that a failure need not be told. */
  readonly triesAgain?: boolean
  /** What a second attempt says when the first did all of it, and failed only afterwards. */
  readonly already?: RegExp
}

interface Case {
  readonly title: string
  readonly path: string
  prepare(host: NodeHost, random: Random): Promise<Attempt>
}

type Line = Record<string, unknown>

/** The whole answer. @throws also for an error that stands in a line of it */
async function ask(host: NodeHost, path: string, { body, ...request }: Call = {}): Promise<Line[]> {
  const reply = await host.call(path, { ...request, body: body?.() })
  if (reply === undefined || !(Symbol.asyncIterator in Object(reply))) return [reply as Line]
  const lines: Line[] = []
  for await (const line of reply as AsyncIterable<Line>) {
    const { PinErrorMsg = '' } = (line['Root'] ?? {}) as { PinErrorMsg?: string }
    const told = typeof line === 'string' ? line : String(line['Error'] ?? '') || PinErrorMsg
    if (told !== '') throw new Error(told)
    lines.push(line)
  }
  return lines
}

async function addTree(host: NodeHost, random: Random, pin: boolean): Promise<string> {
  const body = tree(random)
  return String((await ask(host, 'add', { body, options: { pin } })).at(-1)!['Hash'])
}

function tree(random: Random): () => Body {
  const files = [
    ['t/small', random.bytes(2000)] as const,
    ['t/large', random.bytes(300_000)] as const,
    ['t/sub/x', random.bytes(9000)] as const
  ]
  return () => uploadOf(files)
}

async function writeFile(host: NodeHost, random: Random, flush = true): Promise<[path: string, bytes: Uint8Array]> {
  const [path, bytes] = [`/${Buffer.from(random.bytes(8)).toString('hex')}`, random.bytes(2000)]
  await ask(host, 'files/write', { args: [path], options: { create: true, flush }, body: () => uploadOf([['f', bytes]]) })
  return [path, bytes]
}

/** Undefined where there is no such file. */
async function contentOf(host: NodeHost, path: string): Promise<Uint8Array | undefined> {
  try {
    const pieces: Uint8Array[] = []
    for await (const piece of (await host.call('files/read', { args: [path] })) as AsyncIterable<Uint8Array>) pieces.push(piece)
    return new Uint8Array(Buffer.concat(pieces))
  } catch (error) {
    if (/does not exist/.test((error as Error).message)) return undefined
    throw error
  }
}

async function putBlock(host: NodeHost, random: Random): Promise<string> {
  const bytes = random.bytes(6000)
  return String((await ask(host, 'block/put', { body: () => uploadOf([['b', bytes]]) })).at(-1)!['Key'])
}

async function named(host: NodeHost, path: string, call: Call): Promise<string> {
  const options = { ...call.options, ...(path === 'add' ? { onlyHash: true } : {}) }
  return String((await ask(host, path, { ...call, options })).at(-1)!['Hash'])
}

const cases: readonly Case[] = [
  {
    title: 'add',
    path: 'add',
    async prepare(host, random) {
      const call: Call = { body: tree(random), options: { pin: true } }
      return { call, pins: { [await named(host, 'add', call)]: 'recursive ' } }
    }
  },
  {
    title: 'add without a pin',
    path: 'add',
    async prepare(host, random) {
      const call: Call = { body: tree(random), options: { pin: false } }
      return { call, stored: [await named(host, 'add', call)] }
    }
  },
  {
    title: 'pin/add',
    path: 'pin/add',
    async prepare(host, random) {
      const cid = await addTree(host, random, false)
      return { call: { args: [cid], options: { name: 'n' } }, pins: { [cid]: 'recursive n' } }
    }
  },
  {
    title: 'pin/add of one block',
    path: 'pin/add',
    async prepare(host, random) {
      const cid = await putBlock(host, random)
      return { call: { args: [cid], options: { recursive: false } }, pins: { [cid]: 'direct ' } }
    }
  },
  {
    title: 'pin/update',
    path: 'pin/update',
    async prepare(host, random) {
      const [from, to] = [await addTree(host, random, true), await addTree(host, random, false)]
      return { call: { args: [from, to] }, pins: { [from]: 'none', [to]: 'recursive ' }, already: /not recursively pinned/ }
    }
  },
  {
    title: 'pin/rm',
    path: 'pin/rm',
    async prepare(host, random) {
      const cid = await addTree(host, random, true)
      return { call: { args: [cid] }, pins: { [cid]: 'none' }, already: /not pinned/ }
    }
  },
  {
    title: 'block/put',
    path: 'block/put',
    async prepare(_, random) {
      const bytes = random.bytes(7000)
      return { call: { body: () => uploadOf([['b', bytes]]) }, stored: [await rawCid(bytes)] }
    }
  },
  {
    title: 'block/put with a pin',
    path: 'block/put',
    async prepare(_, random) {
      const bytes = random.bytes(7000)
      return { call: { body: () => uploadOf([['b', bytes]]), options: { pin: true } }, pins: { [await rawCid(bytes)]: 'recursive ' } }
    }
  },
  {
    title: 'block/rm',
    path: 'block/rm',
    async prepare(host, random) {
      const removed = [await putBlock(host, random), await putBlock(host, random)]
      return { call: { args: removed, options: { force: true } }, removed }
    }
  },
  {
    title: 'dag/put with a pin',
    path: 'dag/put',
    async prepare(_, random) {
      const node = JSON.stringify({ text: Buffer.from(random.bytes(6000)).toString('base64') })
      return { call: { body: () => uploadOf([['n', node]]), options: { pin: true } }, pinsOneMore: true }
    }
  },
  {
    title: 'dag/import',
    path: 'dag/import',
    async prepare(_, random) {
      const { car, root } = await carOf([random.bytes(6000), random.bytes(300_000), random.bytes(50)])
      return { call: { body: () => uploadOf([['car', car]]) }, pins: { [root]: 'recursive ' } }
    }
  },
  {
    title: 'files/write of a new file',
    path: 'files/write',
    async prepare(_, random) {
      const [path, bytes] = [`/${Buffer.from(random.bytes(8)).toString('hex')}/f`, random.bytes(300_000)]
      const call: Call = { args: [path], options: { create: true, parents: true }, body: () => uploadOf([['f', bytes]]) }
      return { call, files: { [path]: bytes } }
    }
  },
  {
    title: 'files/write into a file',
    path: 'files/write',
    async prepare(host, random) {
      const [path, bytes] = await writeFile(host, random)
      const more = random.bytes(50)
      const call: Call = { args: [path], options: { offset: BigInt(bytes.length) }, body: () => uploadOf([['f', more]]) }
      return { call, files: { [path]: new Uint8Array([...bytes, ...more]) } }
    }
  },
  {
    title: 'files/mv',
    path: 'files/mv',
    async prepare(host, random) {
      const [path, bytes] = await writeFile(host, random)
      return { call: { args: [path, `${path}-moved`] }, files: { [path]: undefined, [`${path}-moved`]: bytes }, already: /does not exist/ }
    }
  },
  {
    title: 'files/rm',
    path: 'files/rm',
    async prepare(host, random) {
      const [path] = await writeFile(host, random)
      return { call: { args: [path], options: { force: true } }, files: { [path]: undefined } }
    }
  },
  {
    title: 'files/flush',
    path: 'files/flush',
    async prepare(host, random) {
      const [path, bytes] = await writeFile(host, random, false)
      return { call: {}, files: { [path]: bytes } }
    }
  },
  {
    title: 'repo/gc',
    path: 'repo/gc',
    async prepare(host, random) {
      const kept = await addTree(host, random, true)
      const removed = [await putBlock(host, random), await putBlock(host, random), await addTree(host, random, false)]
      return { call: {}, pins: { [kept]: 'recursive ' }, removed, triesAgain: true }
    }
  }
]

async function pinsOf(host: NodeHost): Promise<Map<string, PinState>> {
  const pins = new Map<string, PinState>()
  for (const type of ['direct', 'recursive']) {
    const lines = await ask(host, 'pin/ls', { options: { type, names: true, stream: true } })
    for (const { Cid, Name = '' } of lines) pins.set(String(Cid), `${type} ${Name}`)
  }
  return pins
}

/** Every graph that is pinned can be read to its end, and every block is what its CID says. */
async function isSound(t: ExecutionContext, host: NodeHost, at: string): Promise<void> {
  for (const [cid, state] of await pinsOf(host))
    if (state.startsWith('recursive')) await t.notThrowsAsync(ask(host, 'refs', { args: [cid], options: { recursive: true } }), at)
  t.deepEqual(
    (await ask(host, 'pin/verify')).filter(({ Ok }) => Ok === false),
    [],
    at
  )
  await t.notThrowsAsync(ask(host, 'repo/verify'), at)
}

async function isDone(t: ExecutionContext, host: NodeHost, { blocks }: InnerStores, attempt: Attempt, at: string): Promise<void> {
  const pins = await pinsOf(host)
  for (const [cid, state] of Object.entries(attempt.pins ?? {})) t.is(pins.get(cid) ?? 'none', state, at)
  for (const [path, bytes] of Object.entries(attempt.files ?? {})) t.deepEqual(await contentOf(host, path), bytes, `${at}: ${path}`)
  for (const cid of attempt.stored ?? []) t.true(await blocks.has(CID.parse(cid)), at)
  for (const cid of attempt.removed ?? []) t.false(await blocks.has(CID.parse(cid)), at)
}

/** Pins survive power loss once they are acknowledged; what is removed may come back. */
function promisesDurability({ pins, removed, files }: Attempt): boolean {
  return (pins !== undefined || files !== undefined) && removed === undefined
}

/** Fails the first, the second, … write of the operation until it has no more. @returns how many there were */
async function failEachWrite(
  t: ExecutionContext,
  { path, prepare }: Case,
  inner: InnerStores,
  random: Random,
  kind: 'plain' | 'quick',
  mode: Mode
): Promise<number> {
  const faults = new Faults()
  const open = async () => {
    const host = await createHost({
      plugins: [faultyStorage(inner, faults, kind)],
      configuration: { plugins: { 'storage-rocksdb': 'off' } as never },
      repo: { path: undefined, init: {} }
    })
    await host.start()
    return host
  }
  let host = await open()
  const other = await addTree(host, random, true)
  for (let at = 1; ; at++) {
    const where = `${kind} ${mode} ${at}`
    if (at > MOST_WRITES) throw new Error(`${path} still writes after ${where}`)
    const attempt = await prepare(host, random)
    faults.unsynced.clear()
    faults.arm(at, mode)
    const error = await ask(host, path, attempt.call).then(
      () => undefined,
      failure => failure as Error
    )
    faults.disarm()
    if (faults.fired === undefined) {
      t.is(error, undefined, where)
      if (promisesDurability(attempt)) t.deepEqual([...faults.unsynced], [], `${where}: acknowledged before it was durable`)
      await isDone(t, host, inner, attempt, where)
      await host.stop()
      return at - 1
    }
    if (error === undefined && attempt.triesAgain) await isDone(t, host, inner, attempt, where)
    else t.regex(error?.message ?? `done, although ${faults.fired} failed`, /the disk under [a-zA-Z.]+ failed/, where)
    t.is((await ask(host, 'block/stat', { args: [other] }))[0]!['Key'], other)
    await isSound(t, host, where)

    faults.unsynced.clear()
    const second = await ask(host, path, attempt.call).then(
      () => undefined,
      failure => failure as Error
    )
    if (second !== undefined) t.regex(second.message, attempt.already ?? /^$/, `${where}, again`)
    else if (promisesDurability(attempt)) t.deepEqual([...faults.unsynced], [], `${where}, again: acknowledged before it was durable`)
    await isDone(t, host, inner, attempt, `${where}, again`)
    await host.stop()
    host = await open()
    await isDone(t, host, inner, attempt, `${where}, opened again`)
    await isSound(t, host, `${where}, opened again`)
  }
}

for (const one of cases) {
  test(`${one.title}: every write of it may fail`, async t => {
    const folder = await temporaryFolder(t)
    const random = seeded(3)
    for (const kind of ['quick', 'plain'] as const) {
      for (const mode of ['before', 'after', 'broken'] as const) {
        const inner = await openRocks(join(folder, `${kind}-${mode}`))
        t.true((await failEachWrite(t, one, inner, random, kind, mode)) > 0)
        await inner.storage.close()
      }
    }
  })
}
