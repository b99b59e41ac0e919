import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { type Daemon, launchDaemon } from '../../helpers/process/daemon.ts'

const run = promisify(execFile)

/** A file system of its own with so many MiB, gone when the test ends. Where none may be mounted, the log says why and there is none. */
export async function smallDisk(t: ExecutionContext, mebibytes: number): Promise<string | undefined> {
  const folder = await temporaryFolder(t)
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', folder])
  } catch (error) {
    t.log(`not tried, as no small file system can be mounted here: ${(error as Error).message.trim()}`)
    t.pass()
    return undefined
  }
  t.teardown(() => run('umount', ['-l', folder]))
  return folder
}

/** A small disk with the settings of plugins for a node, which keeps nothing free, and a file `ballast` of so many MiB. */
export async function laden(t: ExecutionContext, mebibytes: number, settings = ''): Promise<string | undefined> {
  const disk = await smallDisk(t, 48)
  if (disk === undefined) return undefined
  await writeFile(join(disk, 'holdfast.config.yaml'), `plugins:\n  storage-rocksdb: { keepFree: 0 }\n${settings}`)
  await writeFile(join(disk, 'ballast'), Buffer.alloc(mebibytes << 20, 1))
  return disk
}

/** A test with a node on a disk of its own; where there can be no such disk, it is not tried. */
export function onDisk(
  title: string,
  make: (t: ExecutionContext) => Promise<string | undefined>,
  work: (t: ExecutionContext, at: { readonly disk: string; readonly repo: string; readonly node: Daemon }) => Promise<void>
): void {
  test(title, async t => {
    const disk = await make(t)
    if (disk === undefined) return
    const repo = join(disk, 'repo')
    await work(t, { disk, repo, node: await start(t, repo) })
  })
}

/** A node on a repo, killed at the latest when the test ends. */
export async function start(t: ExecutionContext, repo: string): Promise<Daemon> {
  const launched = launchDaemon(repo)
  t.teardown(() => launched.kill())
  return launched.ready
}
