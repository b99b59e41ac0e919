import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { holderIn } from '../../../../core/repo/kernel-lock.ts'
import { thisProcess } from '../../../../core/repo/owner.ts'
import { acquireLock, type Lock } from '../../../../plugins/repo/lock.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { kill } from '../harness.ts'

const HOLDER = fileURLToPath(new URL('./lock-holder.js', import.meta.url))

interface Holder {
  readonly process: ChildProcess
  /** The next line it prints. */
  line(): Promise<string>
  /** Lets it go on. */
  nod(): void
}

async function holder(t: ExecutionContext, file: string): Promise<Holder> {
  const child = spawn(process.execPath, [HOLDER, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => void child.kill('SIGKILL'))
  const lines = createInterface(child.stdout!)[Symbol.asyncIterator]()
  const line = async () => String((await lines.next()).value)
  const made = { process: child, line, nod: () => void child.stdin!.write('go\n') }
  t.is(await made.line(), 'ready')
  return made
}

/** Releases a lock, which is all that its folder holds. */
async function leavesNothing(t: ExecutionContext, lock: Lock, folder: string): Promise<void> {
  t.deepEqual(await readdir(folder), ['repo.lock'])
  await lock.release()
  t.deepEqual(await readdir(folder), [])
}

test('a second process is told who has the lock', async t => {
  const file = join(await temporaryFolder(t), 'repo.lock')
  const first = await holder(t, file)
  first.nod()
  t.is(await first.line(), 'held')
  const error = await t.throwsAsync(acquireLock(file))
  t.is(error?.message, `lock ${file}: someone else has the lock: process ${first.process.pid} works on this repo`)
})

test('a second host of the same process is refused too', async t => {
  const file = join(await temporaryFolder(t), 'repo.lock')
  const lock = await acquireLock(file)
  await t.throwsAsync(acquireLock(file), { code: 'E_REPO_LOCKED' })
  await lock.release()
  const again = await acquireLock(file)
  await again.release()
})

test('a lock given back leaves nothing behind', async t => {
  const folder = await temporaryFolder(t)
  const lock = await acquireLock(join(folder, 'repo.lock'))
  await leavesNothing(t, lock, folder)
})

test('the lock of a killed process does not keep the next one out', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'repo.lock')
  const first = await holder(t, file)
  first.nod()
  t.is(await first.line(), 'held')
  await kill(first.process)
  const lock = await acquireLock(file)
  t.is(JSON.parse(await readFile(file, 'utf8')).pid, process.pid)
  t.deepEqual(await readdir(folder), ['repo.lock'])
  await lock.release()
})

test('the lock of a killed process does not keep the next one out while its parent has not noticed', async t => {
  const file = join(await temporaryFolder(t), 'repo.lock')
  const shell = spawn('sh', ['-c', `exec 3<&0; "$0" "$1" "$2" <&3 & echo $!; exec sleep 60`, process.execPath, HOLDER, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true
  })
  t.teardown(() => void shell.kill('SIGKILL'))
  const lines = createInterface(shell.stdout!)[Symbol.asyncIterator]()
  const pid = Number((await lines.next()).value)
  t.is((await lines.next()).value, 'ready')
  shell.stdin!.write('go\n')
  t.is((await lines.next()).value, 'held')
  process.kill(pid, 'SIGKILL')
  // its output ends with it, though it stays in the process table until the shell that became `sleep` ends
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    if (!/\) [RSDT] /.test(stat)) break
    await new Promise(setImmediate)
  }
  await t.notThrowsAsync(async () => (await acquireLock(file)).release())
})

test('of many that find a dead lock, exactly one gets it', async t => {
  for (let round = 0; round < 3; round++) {
    const folder = await temporaryFolder(t)
    const file = join(folder, 'repo.lock')
    const dead = await holder(t, file)
    const crowd = await Promise.all(Array.from({ length: 6 }, () => holder(t, file)))
    dead.nod()
    t.is(await dead.line(), 'held')
    await kill(dead.process)
    for (const one of crowd) one.nod()
    const said = await Promise.all(crowd.map(one => one.line()))
    t.is(said.filter(word => word === 'held').length, 1, said.join('; '))
    const winner = crowd[said.indexOf('held')]!
    t.true(
      said.every(word => word === 'held' || word.endsWith(`process ${winner.process.pid} works on this repo`)),
      said.join('; ')
    )
    const gone = once(winner.process, 'exit')
    winner.nod()
    await gone
    t.deepEqual(await readdir(folder), [])
  }
})

test('of many takers at once, over and over, exactly one gets a dead lock', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'repo.lock')
  const gone = { ...(await thisProcess()), started: '1' }
  for (let round = 0; round < 50; round++) {
    await writeFile(file, JSON.stringify({ ...gone, nonce: `a${round.toString(16)}` }))
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => acquireLock(file)))
    const held = results.filter(result => result.status === 'fulfilled')
    t.is(held.length, 1)
    await held[0]!.value.release()
    t.deepEqual(await readdir(folder), [])
  }
})

test('a chain of takers who were killed on the way is taken over and cleared', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'repo.lock')
  const gone = { ...(await thisProcess()), started: '1' }
  await writeFile(file, JSON.stringify({ ...gone, nonce: 'aa' }))
  await writeFile(`${file}.aa`, JSON.stringify({ ...gone, nonce: 'bb' }))
  await writeFile(`${file}.bb`, JSON.stringify({ ...gone, nonce: 'cc' }))
  await writeFile(`${file}.ff.new`, JSON.stringify({ ...gone, nonce: 'ff' }))
  const lock = await acquireLock(file)
  t.deepEqual(await readdir(folder), ['repo.lock'])
  await t.throwsAsync(acquireLock(file), { code: 'E_REPO_LOCKED' })
  await lock.release()
})

test('a process that was given the number of a dead owner is not taken for it', async t => {
  const file = join(await temporaryFolder(t), 'repo.lock')
  const me = await thisProcess()
  await writeFile(file, JSON.stringify({ ...me, started: `${Number(me.started) - 1}`, nonce: 'aa' }))
  await t.notThrowsAsync(async () => (await acquireLock(file)).release())
})

test("a file that the kernel locks for another program is found in Linux's table of locks", t => {
  const table = [
    '1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF',
    '2: POSIX  ADVISORY  READ 4712 fd:10:77 0 EOF',
    '2: -> POSIX  ADVISORY  WRITE 4713 fd:10:77 0 EOF',
    '3: OFDLCK ADVISORY  WRITE -1 00:2f:9 0 0',
    ''
  ].join('\n')
  t.is(holderIn(table, 0x0801n, 131n), 4711)
  t.is(holderIn(table, 0xfd10n, 77n), 4712)
  t.is(holderIn(table, 0x0802n, 131n), undefined)
  t.is(holderIn(table, 0x2fn, 9n), undefined)
})

for (const [what, content] of [
  ['empty, as Kubo leaves it', ''],
  ['from another boot', '{"pid":1,"started":"1","where":"another","nonce":"aa"}'],
  ['broken', '{"pid":']
] as const) {
  test(`a lock file that is ${what} is taken over`, async t => {
    const folder = await temporaryFolder(t)
    const file = join(folder, 'repo.lock')
    await writeFile(file, content)
    const lock = await acquireLock(file)
    await t.throwsAsync(acquireLock(file), { code: 'E_REPO_LOCKED' })
    await lock.confirm()
    await t.throwsAsync(acquireLock(file), { code: 'E_REPO_LOCKED' })
    await leavesNothing(t, lock, folder)
  })
}

test('the claim of an owner who cannot be seen stays until it is known that he is gone', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'repo.lock')
  const claim = '{"pid":1,"started":"1","where":"another","nonce":"aa"}'
  await writeFile(file, claim)
  const loser = await acquireLock(file)
  t.false(loser.isSure)
  t.is(await readFile(file, 'utf8'), claim)
  await loser.release()
  t.deepEqual(await readdir(folder), ['repo.lock'])
  t.is(await readFile(file, 'utf8'), claim)

  const heir = await acquireLock(file)
  await rm(file)
  await heir.confirm()
  t.is(JSON.parse(await readFile(file, 'utf8')).pid, process.pid, 'also when he has released it himself')
  await heir.release()
  t.deepEqual(await readdir(folder), [])
})

test.serial('a release takes nobody else away who has taken the lock over meanwhile', async t => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'repo.lock')
  const lock = await acquireLock(file)
  const other = '{"pid":1,"started":"1","where":"another","nonce":"bb"}'
  const { rename } = fs.promises
  fs.promises.rename = async (from, to) => {
    fs.promises.rename = rename
    syncBuiltinESMExports()
    await writeFile(file, other)
    await rename(from, to)
  }
  syncBuiltinESMExports()
  await lock.release()
  t.deepEqual(await readdir(folder), ['repo.lock'])
  t.is(await readFile(file, 'utf8'), other)
})

test('a claim that cannot be written leaves nothing behind', async t => {
  const folder = await temporaryFolder(t)
  const { writeFile: whole } = fs.promises
  fs.promises.writeFile = async (path, data, options) => {
    if (!String(path).startsWith(folder)) return whole(path, data, options)
    await whole(path, '{"pid"', options)
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  syncBuiltinESMExports()
  try {
    await t.throwsAsync(acquireLock(join(folder, 'repo.lock')), { code: 'ENOSPC' })
  } finally {
    fs.promises.writeFile = whole
    syncBuiltinESMExports()
  }
  t.deepEqual(await readdir(folder), [])
})
