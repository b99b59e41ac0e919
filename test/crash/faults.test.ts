/** Stores that fail: no false success, an error that says what failed, and nothing lost or in the way of the next attempt. */
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import { createHost } from '../../host/create.ts'
import { type NodeHost } from '../../host/host.ts'
import { temporaryFolder } from '../helpers/folder.ts'
import { type Random, seeded, some } from '../helpers/random.ts'
import { openRocks } from '../plugins/storage/backends.ts'
import type { PinState } from './support/expected.ts'
import { type Attempt, addTree, ask, type Case, cases, contentOf } from './support/fault-cases.ts'
import { Faults, faultyStorage, type InnerStores, type Mode } from './support/faults.ts'
import { otherCases } from './support/other-fault-cases.ts'

/** More writes than any of these operations needs. */
const MOST_WRITES = 60

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
  for (const [path, version] of Object.entries(attempt.folders ?? {})) {
    const [stat] = await ask(host, 'files/stat', { args: [path] })
    t.is(CID.parse(String(stat!['Hash'])).version, version, `${at}: ${path}`)
  }
  if (attempt.name !== undefined) t.is((await ask(host, 'name/resolve', { args: [attempt.name.of] }))[0]!['Path'], attempt.name.leadsTo, at)
  if (attempt.isDone !== undefined) t.true(await attempt.isDone(host), at)
  for (const cid of attempt.stored ?? []) t.true(await blocks.has(CID.parse(cid)), at)
  for (const cid of attempt.removed ?? []) t.false(await blocks.has(CID.parse(cid)), at)
}

/** Pins, the tree and names survive power loss once they are acknowledged; what is removed may come back. */
function promisesDurability({ pins, removed, files, folders, name, isDone }: Attempt): boolean {
  return [pins, files, folders, name, isDone].some(what => what !== undefined) && removed === undefined
}

/** Fails the first, the second, … write of the operation until it has no more. @returns how many there were */
async function failEachWrite(
  t: ExecutionContext,
  { path, prepare, host: { on = {}, overrides = {} } = {} }: Case,
  inner: InnerStores,
  random: Random,
  kind: 'plain' | 'quick',
  mode: Mode
): Promise<number> {
  const faults = new Faults()
  const open = async () => {
    const host = await createHost({
      plugins: [faultyStorage(inner, faults, kind)],
      configuration: { plugins: { 'storage-rocksdb': 'off', ...on } as never },
      repo: { path: undefined, init: {}, overrides }
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

/** All ways in which a write fails, of which a run tries some unless it is told to try all. */
const ways = (['quick', 'plain'] as const).flatMap(kind => (['before', 'after', 'broken'] as const).map(mode => ({ kind, mode })))
const TRIED = process.env['FAULTS_ALL'] === '1' ? ways.length : 2
const SEED = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

for (const [index, one] of [...cases, ...otherCases].entries()) {
  test(`${one.title}: every write of it may fail`, async t => {
    t.log(`CRASH_SEED=${SEED} repeats it, FAULTS_ALL=1 tries all ways`)
    const folder = await temporaryFolder(t)
    const random = seeded(3)
    for (const { kind, mode } of some(ways, TRIED, SEED + index)) {
      const inner = await openRocks(join(folder, `${kind}-${mode}`))
      t.true((await failEachWrite(t, one, inner, random, kind, mode)) > 0)
      await inner.storage.close()
    }
  })
}
