/**
 * Machines with public addresses that see one another and nothing else: network namespaces on a bridge of their own. No namespace has a route
 * to anywhere beyond, so nothing that a node does in one leaves this machine.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

const ip = (...args: string[]) => execute('ip', args)

/** Machines on one net. */
export interface Islands {
  /** The namespaces, in order: the first has the address 11.7.0.1. */
  readonly names: readonly string[]
  /** Takes all of them away, and what runs there ends with its net. */
  sink(): Promise<void>
}

/** @throws why this machine has none: they take root, and iproute2 */
export async function islands(count: number): Promise<Islands> {
  const prefix = `hf${process.pid % 100_000}`
  const sea = `${prefix}sea`
  const names = Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`)
  const sink = async () => {
    for (const name of [...names, sea]) await ip('netns', 'delete', name).catch(() => {})
  }
  try {
    // the bridge lies in a namespace, too: not even this machine is on that net
    await ip('netns', 'add', sea)
    await ip('-n', sea, 'link', 'add', 'bridge', 'type', 'bridge')
    await ip('-n', sea, 'link', 'set', 'bridge', 'up')
    for (const [i, name] of names.entries()) {
      await ip('netns', 'add', name)
      await ip('-n', name, 'link', 'set', 'lo', 'up')
      await ip('-n', sea, 'link', 'add', `port${i}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
      await ip('-n', sea, 'link', 'set', `port${i}`, 'master', 'bridge', 'up')
      await ip('-n', name, 'address', 'add', `11.7.0.${i + 1}/24`, 'dev', 'eth0')
      await ip('-n', name, 'link', 'set', 'eth0', 'up')
    }
    return { names, sink }
  } catch (error) {
    await sink()
    throw error
  }
}
