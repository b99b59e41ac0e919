import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test from 'ava'
import { Mfs, Pins } from '../../../core/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { readKuboRepo } from '../../../plugins/migrate/kubo/repo.ts'
import { bin } from '../../helpers/process/daemon.ts'
import { hostOn, migrate, reportOf, snapshot, unpacked } from './world.ts'

/** Code that kills the program with the line that tells of so many steps, before anything else runs. */
const killsAt = (steps: number) => `
  let lines = 0
  const write = process.stdout.write
  process.stdout.write = function (chunk, ...rest) {
    lines += String(chunk).split('\\n').length - 1
    if (lines >= ${steps}) process.kill(process.pid, 'SIGKILL')
    return write.call(this, chunk, ...rest)
  }`

/** Runs the program until it tells of so many steps, when it is killed. @returns whether it came so far */
async function killedAfter(steps: number, words: readonly string[]): Promise<boolean> {
  const killer = `data:text/javascript,${encodeURIComponent(killsAt(steps))}`
  const child = spawn(process.execPath, ['--import', killer, bin, 'migrate', ...words, '--encoding=json'], {
    stdio: ['ignore', 'pipe', 'ignore']
  })
  child.stdout.resume()
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return signal === 'SIGKILL'
}

for (const steps of [1, 20, 35]) {
  test(`a way over that is killed after ${steps} steps is gone on with, and back again`, async t => {
    const { path, told, folder } = await unpacked(t)
    const before = await snapshot(path)
    const [repo, back] = [join(folder, 'repo'), join(folder, 'back')]
    t.true(await killedAfter(steps, [path, '--repo', repo]))
    t.deepEqual(await snapshot(path), before)
    const ran = await migrate(repo, path, '--encoding=json')
    t.is(ran.code, 0, ran.err)
    const { Blocks } = reportOf(ran) as { Blocks: { Linked: number; Copied: number; There: number } }
    t.is(Blocks.Linked + Blocks.Copied + Blocks.There, told.blocks.length)
    t.true(Blocks.There > 0)
    const host = await hostOn(t, repo)
    t.is((await itemsOf(host.service(Pins)!.list())).length, told.pins.length)
    t.is(String(await host.service(Mfs)!.flush('/')), told.mfsRoot)
    await t.notThrowsAsync(async () => itemsOf(await host.call('repo/verify')))
    await host.stop()

    t.true(await killedAfter(steps, ['--to-kubo', back, '--repo', repo]))
    await t.throwsAsync(readKuboRepo(back), { code: 'E_KUBO_ABSENT' })
    t.is((await migrate(repo, '--to-kubo', back)).code, 0)
    t.is((await readKuboRepo(back)).pins.length, told.pins.length)
  })
}
