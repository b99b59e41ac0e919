/** A repo on a file system that is read-only, or full. */
import { execFile } from 'node:child_process'
import { open, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import type { Finding } from '../../../../host/cli/doctor/finding.ts'
import { blockOf, lines, post, rawCid } from '../../../crash/support/rpc.ts'
import { smallDisk } from '../../../crash/support/small-disk.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { startDaemon } from '../../../helpers/process/daemon.ts'

const run = promisify(execFile)

/** A disk of its own with the repo of a node that was killed, and what was put there; undefined where no disk can be had. */
async function killedNode(t: ExecutionContext, add: string) {
  const disk = await smallDisk(t, 96)
  if (disk === undefined) return undefined
  const repo = join(disk, 'repo')
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  const [small, large] = [new Uint8Array(100).fill(1), new Uint8Array(300_000).fill(2)]
  const { Hash } = lines<{ Hash: string }>(await post(daemon.url, add, [['file', large]])).at(-1)!
  await post(daemon.url, 'block/put?pin=true', [['data', small]])
  const cid = await rawCid(small)
  t.deepEqual(Buffer.from(await blockOf(daemon.url, cid)), Buffer.from(small))
  await daemon.kill()
  const at = (...args: string[]) => commandLine(['--repo', repo, ...args], { cwd: disk })
  return {
    disk,
    repo,
    at,
    small,
    large,
    cid,
    Hash,
    async isRead() {
      const got = await at('block', 'get', cid)
      t.deepEqual([got.code, got.err, got.bytes], [0, '', Buffer.from(small)])
      t.deepEqual((await at('cat', Hash)).bytes, Buffer.from(large))
      const pins = await at('pin', 'ls', '--type=recursive')
      for (const each of [cid, Hash]) t.true(pins.out.includes(each), pins.err)
    }
  }
}

test('commands without a daemon read a repo that cannot be written, with what its journal holds; doctor says that it is read-only', async t => {
  const killed = await killedNode(t, 'add?raw-leaves=true')
  if (killed === undefined) return
  const { disk, repo, at, small, cid, isRead } = killed
  await run('mount', ['-o', 'remount,ro', disk])
  t.teardown(() => run('mount', ['-o', 'remount,rw', disk]))

  const files = await readdir(repo)
  await isRead()
  t.true((await at('refs', 'local')).out.includes(cid))
  t.deepEqual(await readdir(repo), files)

  const added = await at('add', '--quiet', join(repo, 'version'))
  t.deepEqual([added.code, added.out], [1, ''])
  t.regex(added.err, /the file system is read-only/)
  const { code, out } = await at('doctor', '--json')
  t.is(code, 1)
  const [permissions] = (JSON.parse(out) as Finding[]).filter(({ check }) => check === 'permissions')
  t.is(permissions?.state, 'wrong')
  t.regex(permissions?.about ?? '', /read-only/)

  await run('mount', ['-o', 'remount,rw', disk])
  await writeFile(join(disk, 'again'), '')
  const again = await startDaemon(repo)
  t.teardown(() => again.kill())
  t.deepEqual(Buffer.from(await blockOf(again.url, cid)), Buffer.from(small))
})

for (const left of [0, 1 << 20]) {
  test(`commands without a daemon read a repo on a disk with ${left} bytes free, and leave it as it was`, async t => {
    const killed = await killedNode(t, 'add?raw-leaves=true&to-files=/kept')
    if (killed === undefined) return
    const { disk, repo, at, small, large, cid, isRead } = killed
    await fillDisk(disk, left)

    const files = await readdir(repo)
    await isRead()
    const tree = await at('files', 'ls', '/')
    t.deepEqual([tree.code, tree.out, tree.err], [0, 'kept\n', ''])
    const keys = await at('key', 'list')
    t.deepEqual([keys.code, keys.out, keys.err], [0, 'self\n', ''])
    // where there is room for a lock, what a killed node left of its own goes
    const lasting = (names: readonly string[]) => names.filter(name => !['api', 'gateway', 'repo.lock'].includes(name))
    t.deepEqual(lasting(await readdir(repo)), lasting(files))
    const added = await at('add', '--quiet', join(repo, 'version'))
    t.deepEqual([added.code, added.out], [1, ''])
    t.regex(added.err, /no space left/i)

    await rm(join(disk, 'filler'))
    const again = await startDaemon(repo)
    t.teardown(() => again.kill())
    t.deepEqual(Buffer.from(await blockOf(again.url, cid)), Buffer.from(small))
    t.is(await post(again.url, 'files/read?arg=/kept'), Buffer.from(large).toString())
  })
}

/** Writes a file that leaves so many bytes of a file system. */
async function fillDisk(disk: string, left: number): Promise<void> {
  const filler = await open(join(disk, 'filler'), 'w')
  try {
    for (;;) {
      const { bavail, bsize } = await statfs(disk)
      const size = Math.min(1 << 20, bavail * bsize - left)
      if (size <= 0) return
      await filler.write(new Uint8Array(size))
    }
  } finally {
    await filler.close()
  }
}
