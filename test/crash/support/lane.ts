/** Rounds on one repo after the other: start, compare with what was acknowledged, work, kill. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { type Daemon, type Launched, type LaunchOptions, launchDaemon } from '../../helpers/process/daemon.ts'
import { type Random, seeded } from '../../helpers/random.ts'
import { Expected } from './expected.ts'
import { type Caller, type Operation } from './operations/operation.ts'
import { asking, operations } from './operations/operations.ts'
import { servicesOf } from './operations/other-operations.ts'
import { statesOf } from './operations/state-operations.ts'
import { post, Refused } from './rpc.ts'
import { filesOf, nameOf, pinsOf, rehashAll, storedBlocks, walkGraph } from './verify.ts'

const CALLERS = 4
/** Rounds after which a new repo begins, so that looking at all of it stays quick. */
const ROUNDS_A_REPO = 25

/** Small, so that many files begin, fill and are given back. */
const SIZES = { segmentSize: 1 << 20, writeBuffer: 1 << 20 }

export interface Lane {
  readonly folder: string
  readonly largeBlocks: 'segments' | 'files'
  readonly rounds: number
  readonly seed: number
  /** Collections go on one after the other while others work, and `damage` comes after every kill. */
  readonly collecting?: boolean
  /** What happens to the repo of every other killed node before it is started again. */
  readonly damage?: (repo: string, random: Random) => Promise<void>
  /** Only what was promised to survive `damage` is asked for. */
  readonly unpinnedMayGo?: boolean
  readonly launch?: (repo: string) => LaunchOptions
}

/** How often each operation was acknowledged, and how often the kill came before the answer. */
export interface CallCounts {
  readonly answered: ReadonlyMap<string, number>
  readonly interrupted: ReadonlyMap<string, number>
}

export async function runLane(t: ExecutionContext, lane: Lane): Promise<CallCounts> {
  const settings = { ...SIZES, largeBlocks: lane.largeBlocks }
  await mkdir(lane.folder)
  await writeFile(join(lane.folder, 'holdfast.config.json'), JSON.stringify({ plugins: { 'storage-rocksdb': settings } }))
  const counts = { answered: new Map<string, number>(), interrupted: new Map<string, number>() }
  const random = seeded(lane.seed)
  for (let done = 0, number = 0; done < lane.rounds; done += ROUNDS_A_REPO, number++) {
    const expected = await oneRepo(t, lane, `${lane.seed}-${number}`, Math.min(ROUNDS_A_REPO, lane.rounds - done), random)
    for (const kind of ['answered', 'interrupted'] as const)
      for (const [op, count] of expected[kind]) counts[kind].set(op, (counts[kind].get(op) ?? 0) + count)
  }
  return counts
}

async function oneRepo(t: ExecutionContext, lane: Lane, name: string, rounds: number, random: Random): Promise<Expected> {
  const repo = join(lane.folder, `repo-${name}`)
  const expected = new Expected(join(lane.folder, `expected-${name}.jsonl`))
  const spare: string[] = []
  let serial = 0
  const bytesFrom = (source: Random) => (most: number) => {
    const bytes = source.bytes(32 + source.below(most))
    new DataView(bytes.buffer).setUint32(0, serial++)
    return bytes
  }
  const start = (): Launched => {
    const launched = launchDaemon(repo, lane.launch?.(repo))
    t.teardown(() => launched.kill())
    return launched
  }
  const hold = async ({ url }: Daemon) => {
    const others = [...(await statesOf(url, expected.statesOf(/^name /))), ...(await servicesOf(url))]
    const wrongStates = expected.holdStates(new Map([...(await filesOf(url)), ...others]))
    const wrongNames = expected.holdName(await nameOf(url))
    const blocks = await storedBlocks(url)
    const wrongBlocks = await expected.hold(await pinsOf(url), blocks, root => walkGraph(url, root), lane)
    const wrong = [...wrongStates, ...wrongNames, ...wrongBlocks]
    if (wrong.length > 0) t.log(expected.story(80))
    t.deepEqual(wrong, [], `repo ${name}`)
    if (wrong.length > 0) throw new Error('what was acknowledged is lost')
  }
  for (let round = 0; round < rounds; round++) {
    const launched = start()
    // One in four does not get as far as being ready, but where it would do nothing then.
    if (!lane.collecting && random.below(4) === 0) {
      await setTimeout(random.below(500))
      await launched.kill()
    } else {
      const daemon = await launched.ready
      if (lane.damage !== undefined) await rehashAll(daemon.url)
      await hold(daemon)
      await post(daemon.url, 'repo/verify')
      await post(daemon.url, 'config?arg=Experimental.FilestoreEnabled&arg=true&bool=true')
      await workUntilKilled(daemon, { folder: lane.folder, expected, spare, random, bytesFrom, isCollecting: lane.collecting ?? false })
    }
    if (lane.damage !== undefined && (lane.collecting || random.below(2) === 0)) await lane.damage(repo, random)
  }
  const last = await start().ready
  await rehashAll(last.url)
  await hold(last)
  t.is(await last.stop(), 0)
  return expected
}

interface Work {
  readonly folder: string
  readonly expected: Expected
  readonly spare: string[]
  readonly random: Random
  readonly isCollecting: boolean
  bytesFrom(source: Random): Caller['bytes']
}

async function workUntilKilled(daemon: Daemon, { folder, expected, spare, random, bytesFrom, isCollecting }: Work): Promise<void> {
  let isKilled = false
  // A collection may take what nobody pinned yet, so that most rounds are without one.
  const collects = isCollecting || random.below(4) === 0
  const collection = operations.filter(({ path }) => path === 'repo/gc')
  const choice = operations
    .filter(operation => !collection.includes(operation) || (collects && !isCollecting))
    .flatMap(operation => Array.from({ length: operation.weight }, (): Operation => operation))
  // Some answers later, wherever the callers are then: on a slow machine too.
  let answersLeft = random.below(collects ? 30 : 8)
  const enough = Promise.withResolvers<void>()
  const ask = asking(daemon.url, expected, () => {
    if (answersLeft-- === 0) enough.resolve()
  })
  const call = async (choice: readonly Operation[]) => {
    const seededRandom = seeded(random.below(2 ** 31) ^ 0x5bd1e995)
    const caller: Caller = { random: seededRandom, expected, url: daemon.url, folder, spare, bytes: bytesFrom(seededRandom), ask }
    while (!isKilled) {
      try {
        await choice[caller.random.below(choice.length)]!.run(caller)
      } catch (error) {
        if (isKilled) return
        if (collects && error instanceof Refused && error.message.includes('not found')) continue
        throw error
      }
    }
  }
  const callers = Promise.all([...Array.from({ length: CALLERS }, () => call(choice)), ...(isCollecting ? [call(collection)] : [])])
  callers.catch(() => {})
  await Promise.race([enough.promise.then(() => setTimeout(random.below(40))), callers])
  isKilled = true
  await daemon.kill()
  await callers
}
