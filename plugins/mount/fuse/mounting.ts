import { execFile, spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { messageOf } from '../../../core/index.ts'
import { mountErrors } from '../errors.ts'
import { type FileSystem, Session } from './session.ts'

const DEVICE = '/dev/fuse'

/** The file system's name in the list of mounts: by it a mount is known as one of ours. */
const SOURCE = 'holdfast'

/**
 * Options of `umount`: the folder is free at once, and the conversation with the kernel ends also while programs stand there or have files open,
 * which get `ENOTCONN` from then on. Without force it would go on until the last of them closes.
 */
const AWAY = ['-i', '-f', '-l']

/** How a file system is mounted. */
interface MountOptions {
  readonly isWritable?: boolean
  /** Whether other users of the machine than the node's reach it. */
  readonly allowOther: boolean
  readonly maxRequests: number
}

/** A file system that is mounted. */
export interface Mounted {
  readonly at: string
  /** Unmounts it, also while files in it are open. */
  unmount(): Promise<void>
}

/**
 * Mounts a file system on a folder. What an earlier process of ours that was killed left mounted there is unmounted first.
 *
 * @throws E_MOUNT_SYSTEM, E_MOUNT_DEVICE, E_MOUNT_POINT, E_MOUNT_FAILED
 */
export async function mount(
  folder: string,
  files: FileSystem,
  { isWritable = false, allowOther, maxRequests }: MountOptions,
  failed: (what: string, error: unknown) => void
): Promise<Mounted> {
  if (process.platform !== 'linux') throw mountErrors.E_MOUNT_SYSTEM(process.platform)
  await clearDead(folder)
  const at = await mountPoint(folder)
  const device = openDevice()
  try {
    const who = `fd=3,rootmode=40000,user_id=${process.getuid!()},group_id=${process.getgid!()}`
    const options = [isWritable ? 'rw' : 'ro', 'nosuid', 'nodev', 'default_permissions', who, ...(allowOther ? ['allow_other'] : [])]
    await run('mount', ['-i', '-t', 'fuse.holdfast', '-o', options.join(','), SOURCE, at], device)
  } catch (error) {
    closeSync(device)
    throw mountErrors.E_MOUNT_FAILED(at, messageOf(error))
  }
  // a process that ends at once would wait for the thread that waits for the kernel
  const onExit = () => void spawnSync('umount', [...AWAY, at])
  process.once('exit', onExit)
  const served = new Session({ device, files, maxRequests })
    .serve()
    .catch(error => failed('it ended', error))
    .finally(() => {
      process.off('exit', onExit)
      closeSync(device)
    })
  return {
    at,
    async unmount() {
      await files.close?.().catch(error => failed('what was written last is lost', error))
      if (isMounted(at)) await promisify(execFile)('umount', [...AWAY, at])
      await served
    }
  }
}

/** Unmounts what a process of ours left behind: the kernel says `ENOTCONN` of a mount whose process is gone. */
async function clearDead(folder: string): Promise<void> {
  try {
    await stat(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTCONN' && isMounted(folder)) await promisify(execFile)('umount', ['-i', '-l', folder])
  }
}

async function mountPoint(folder: string): Promise<string> {
  try {
    return await realpath(folder)
  } catch (error) {
    throw mountErrors.E_MOUNT_POINT(folder, messageOf(error))
  }
}

function openDevice(): number {
  try {
    return openSync(DEVICE, 'r+')
  } catch (error) {
    throw mountErrors.E_MOUNT_DEVICE(DEVICE, messageOf(error))
  }
}

/** Whether a folder is a mount of ours. Blanks and the like stand in the list as three octal digits. */
function isMounted(folder: string): boolean {
  const lines = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  const named = (text: string | undefined) =>
    text?.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
  return lines.some(line => {
    const [source, at, type] = line.split(' ')
    return source === SOURCE && type === 'fuse.holdfast' && Buffer.from(named(at) ?? '').equals(Buffer.from(folder))
  })
}

/** Runs a program with the device as its descriptor 3. @throws Error with what it said */
async function run(program: string, args: readonly string[], device: number): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe', device] })
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(0, 4096)))
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new Error(said.trim() || `${program} ended with ${code}`)
}
