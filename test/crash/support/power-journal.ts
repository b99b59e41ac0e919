/**
 * Loaded into a node before anything else (`--import`): writes down which files and folders were synced, and how large or full they were
 * then, so that a test can take away what a power loss might. Where it is asked to, it has some syncs take their time, so that later ones
 * end before them. Says another boot id than the machine's.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setTimeout } from 'node:timers'
import { seeded } from '../../helpers/random.ts'

const journal = process.env['POWER_JOURNAL'] as string
/** Milliseconds; 0 for a disk that takes no longer than it does. */
const slowest = Number(process.env['POWER_SLOWEST'] ?? 0)
const random = seeded(Number(process.env['POWER_SEED'] ?? 1))
const BOOT_ID = '/proc/sys/kernel/random/boot_id'

/** What is durable of a file, or of a folder, once the sync that began now has ended. */
export type Synced = { readonly inode: number; readonly size: number } | { readonly folder: string; readonly inodes: readonly number[] }

function stateOf(fd: number): Synced {
  const stat = fs.fstatSync(fd)
  if (!stat.isDirectory()) return { inode: stat.ino, size: stat.size }
  const folder = fs.readlinkSync(`/proc/self/fd/${fd}`)
  return { folder, inodes: fs.readdirSync(folder).map(name => fs.statSync(`${folder}/${name}`).ino) }
}

for (const name of ['fsync', 'fdatasync'] as const) {
  const original = fs[name]
  const journaled = (fd: number, callback: fs.NoParamCallback) => {
    const state = stateOf(fd)
    const sync = () =>
      original(fd, error => {
        if (error === null) fs.appendFileSync(journal, `${JSON.stringify(state)}\n`)
        callback(error)
      })
    // One in three, so that most of those that began after it have ended when it does.
    if (slowest > 0 && random.below(3) === 0) setTimeout(sync, random.below(slowest))
    else sync()
  }
  Object.assign(fs, { [name]: journaled })
}

// what fs/promises opens is synced past these functions
const probe = await fs.promises.open('/dev/null')
const handles = Object.getPrototypeOf(probe) as fs.promises.FileHandle
await probe.close()
for (const name of ['sync', 'datasync'] as const) {
  const original = handles[name]
  handles[name] = async function (this: fs.promises.FileHandle) {
    const state = stateOf(this.fd)
    await original.call(this)
    fs.appendFileSync(journal, `${JSON.stringify(state)}\n`)
  }
}

const { readFile } = fs.promises
const read = (path: unknown, encoding?: BufferEncoding) => {
  if (path !== BOOT_ID) return Reflect.apply(readFile, fs.promises, [path, encoding])
  const boot = Buffer.from(process.env['POWER_BOOT'] as string)
  return Promise.resolve(encoding === undefined ? boot : boot.toString(encoding))
}
Object.assign(fs.promises, { readFile: read })
syncBuiltinESMExports()
