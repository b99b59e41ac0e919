import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'

/** A process, told apart from a later one that was given the same number. */
export interface Owner {
  readonly pid: number
  /** When it started, in the kernel's ticks since boot; empty where the system does not say. */
  readonly started: string
  /** The boot and the process namespace in which `pid` means something. */
  readonly where: string
}

export async function thisProcess(): Promise<Owner> {
  return { pid: process.pid, started: (await startOf(process.pid)) ?? '', where: await here() }
}

/** Whether it can be told here if that process runs: one of another boot, machine or container cannot be seen. */
export async function isVisible(owner: Owner): Promise<boolean> {
  return owner.where === (await here())
}

/** Whether that process is known to run no more: it is not there where it would be seen, or it is of another boot or machine. */
export async function isGone(owner: Owner): Promise<boolean> {
  if (await isVisible(owner)) return !(await isRunning(owner))
  const [boot] = owner.where.split(' ')
  return boot !== (await here()).split(' ')[0]
}

/**
 * Whether that process still runs. One that cannot be seen counts as gone: a lock that outlived its container must not keep the next one
 * out, and a store has its own lock in the kernel against two at once.
 */
export async function isRunning(owner: Owner): Promise<boolean> {
  if (!(await isVisible(owner))) return false
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return owner.started === '' || owner.started === (await startOf(owner.pid))
}

/** Field 22 of /proc/PID/stat; undefined for one that is dead and only waits to be noticed by its parent. */
async function startOf(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return state === 'Z' || state === 'X' ? undefined : fields[18]
}

async function here(): Promise<string> {
  const [boot, namespace] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => hostname()),
    readlink('/proc/self/ns/pid').catch(() => '')
  ])
  return `${boot.trim()} ${namespace}`.trim()
}
