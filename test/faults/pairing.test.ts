/** A start that ties the database to the folders of its blocks ends, or fails, at any step: the next one goes on, and takes no other folder. */
import { execFile } from 'node:child_process'
import { cp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'
import { Blockstore, type FastBlocks } from '../../core/index.ts'
import { createHost } from '../../host/index.ts'
import { temporaryFolder } from '../helpers/folder.ts'
import { openRocks } from '../plugins/storage/backends.ts'
import { sample } from '../plugins/storage/samples.ts'
import { type Disk, type DiskRecord, onFaultyDisk } from './disk.ts'
import { type Kept, nothing, PowerModel } from './power-cut.ts'

const ALL = process.env['FAULTS_ALL'] === '1'
const SEED = Number(process.env['FAULTS_SEED'] ?? Math.floor(Math.random() * 600))

const run = promisify(execFile)
const child = fileURLToPath(new URL('./pairing-child.js', import.meta.url))
const large = sample(1, 9000)

/** What a process that dies leaves. */
const all: Kept = unsynced => unsynced

/** How repos come to their ids: what was done with one before, and what is done when the process dies. */
const WAYS: Readonly<Record<string, readonly [before: readonly string[], then: string]>> = {
  'the first start of a new repo': [[], 'start'],
  'the first start of a repo of an earlier version': [['start', 'put', 'older'], 'start'],
  'a salvage of a repo of an earlier version': [['start', 'put', 'older'], 'salvage'],
  'a salvage of a whole repo': [['start', 'put'], 'salvage'],
  'a start that finds a wrong bit in an id': [['start', 'put', 'age'], 'start'],
  'a salvage that finds a wrong bit in an id': [['start', 'put', 'age'], 'salvage']
}

/** @returns why it failed */
async function inChild(disk: Disk, ...steps: readonly string[]): Promise<string | undefined> {
  return run(process.execPath, [child, disk.repo, ...steps], { env: { ...process.env, ...disk.env }, maxBuffer: 1 << 26 }).then(
    () => undefined,
    (error: { stderr: string; signal?: string }) => error.signal ?? error.stderr
  )
}

/** Starts a node on what is left. @returns why it does not start, or lacks the block */
async function start(path: string, hasBlock: boolean): Promise<string | undefined> {
  const host = await createHost({
    repo: { path, init: {} },
    offline: 'a test',
    configuration: { plugins: { gateway: 'off', mcp: 'off', mount: 'off', network: 'off' } as never },
    log: { level: 'silent' }
  })
  try {
    await host.start()
    const blocks = host.service(Blockstore) as unknown as FastBlocks
    const bytes = hasBlock ? await blocks.getBytes(large.multihash) : large.bytes
    return bytes === undefined || Buffer.compare(bytes, large.bytes) !== 0 ? 'the block is gone' : undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    await host.stop()
  }
}

const idIn = (path: string, folder: string) => readFile(join(path, folder, '.database'), 'utf8')

/** Two starts: the second finds what the first has left. */
async function goesOn(t: ExecutionContext, path: string, hasBlock: boolean, when: string): Promise<void> {
  for (const which of ['next', 'one after']) t.is(await start(path, hasBlock), undefined, `the ${which} start, ${when}`)
  t.regex(await idIn(path, 'segments'), /^[0-9a-f]{32}\n$/, when)
  t.is(await idIn(path, 'segments'), await idIn(path, 'blocks'), when)
}

/** The segments of another node. */
async function foreign(t: ExecutionContext): Promise<string> {
  const path = await temporaryFolder(t)
  const { storage, blocks } = await openRocks(path)
  await blocks.putBytes(large.multihash, large.bytes)
  await storage.close()
  return join(path, 'segments')
}

/** With the segments of another node in the place of its own. */
async function refusesOther(t: ExecutionContext, path: string, other: string, when: string): Promise<void> {
  await rm(join(path, 'segments'), { recursive: true, force: true })
  await cp(other, join(path, 'segments'), { recursive: true })
  await t.throwsAsync(openRocks(path), { message: /\bsegments\b/ }, `with another's segments, ${when}`)
}

/** Moments on the way, but for those that are like others. */
const isNear = ({ path, to = '' }: DiskRecord) => /\.database/.test(path + to) || /^(?:segments|db|db\.\w+)$/.test(path)

for (const [what, [before, then]] of Object.entries(WAYS))
  onFaultyDisk(`${what} ends at any moment, and the next one goes on by itself, with its own folders alone`, async (t, disk) => {
    t.timeout(ALL ? 3_000_000 : 300_000)
    const hasBlock = before.length > 0
    if (hasBlock) t.is(await inChild(disk, ...before), undefined)
    const first = hasBlock ? disk.records().length : 0
    t.is(await inChild(disk, then), undefined)
    const other = await foreign(t)
    const model = new PowerModel()
    let moments = 0
    for (const [i, record] of disk.records().entries()) {
      model.apply(record)
      const isChange = record.op !== 'sync-start' && record.op !== 'fault'
      if (i < first || !isChange || !(ALL || isNear(record))) continue
      const turn = SEED + ++moments
      if (!ALL && turn % 3 !== 0) continue
      for (const kept of ALL ? [all, nothing] : [turn % 2 === 0 ? all : nothing]) {
        const path = disk.folder('left')
        const when = `${kept === all ? 'killed' : 'without power'} after ${record.op} ${record.path}, the ${i}th`
        model.leave(path, kept)
        await cp(path, `${path}-other`, { recursive: true })
        await goesOn(t, path, hasBlock, when)
        await refusesOther(t, `${path}-other`, other, when)
        for (const left of [path, `${path}-other`]) await rm(left, { recursive: true })
      }
    }
    t.log(`${moments} moments, ${ALL ? 'all' : 'a third'} of them tried; FAULTS_SEED=${SEED}`)
    t.true(moments > 3)
  })

/** What fails on the way. */
const FAILURES = [
  ...['.database', '.database.tmp'].flatMap(name =>
    ['segments', 'blocks'].flatMap(folder => [`write ${folder}/${name} torn`, `open ${folder}/${name} ENOSPC`])
  ),
  'write */.database* ENOSPC',
  'write */.database* EIO after=1',
  'write */.database* short',
  'sync */.database* EIO',
  'sync */.database* EIO after=1',
  'rename */.database EIO',
  'sync segments EIO',
  'sync blocks EIO',
  'mkdir segments ENOSPC',
  'mkdir blocks ENOSPC',
  ...[0, 1, 2].flatMap(after => [
    `write db/*.log ENOSPC after=${after}`,
    `write db/*.log torn after=${after}`,
    `sync db/*.log EIO after=${after}`
  ])
]

for (const [what, [before, then]] of Object.entries(WAYS).filter(([, [, then]]) => ALL || then === 'start'))
  onFaultyDisk(`${what} meets a failing disk on the way, and the next one goes on by itself`, async (t, disk) => {
    t.timeout(ALL ? 3_000_000 : 300_000)
    const hasBlock = before.length > 0
    if (hasBlock) t.is(await inChild(disk, ...before), undefined)
    const whole = disk.folder('whole')
    if (hasBlock) await rename(disk.repo, whole)
    let refused = 0
    for (const rule of ALL ? FAILURES : FAILURES.filter((_, i) => (i + SEED) % 6 === 0)) {
      if (hasBlock) await cp(whole, disk.repo, { recursive: true })
      disk.rules(rule)
      const why = await inChild(disk, then)
      disk.rules()
      if (why !== undefined) {
        refused++
        t.regex(why, /ENOSPC|EIO|E_STORAGE|no space|error/i, rule)
      }
      await goesOn(t, disk.repo, hasBlock, `after ${rule}`)
      await rm(disk.repo, { recursive: true })
    }
    t.log(`${refused} were refused`)
  })
