import { readFile, statfs } from 'node:fs/promises'
import { availableParallelism, cpus, networkInterfaces } from 'node:os'
import { goPlatform } from '../../core/go/platform.ts'

/** The file system that holds `folder`: bytes, and the type's number as the system knows it. */
export async function diskInfo(folder: string) {
  const { bfree, blocks, bsize, type } = await statfs(folder, { bigint: true })
  return { free_space: bfree * bsize, fstype: String(type), total_space: blocks * bsize }
}

/** Address space and what of it is swapped out, in bytes; 0 where the system does not tell. */
export async function memoryInfo() {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024
  return { swap: bytes('VmSwap'), virt: bytes('VmSize') }
}

/** Addresses of this machine as multiaddrs. */
export function interfaceAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  return all.map(({ address, family }) => `/${family === 'IPv4' ? 'ip4' : 'ip6'}/${address}`).sort()
}

/** The engine, in the members that the reference has for Go's. `numgoroutines` is what keeps the event loop busy. */
export function runtimeInfo() {
  const [arch = '', os = ''] = goPlatform().split('/')
  return {
    arch,
    compiler: 'v8',
    gomaxprocs: availableParallelism(),
    numcpu: cpus().length,
    numgoroutines: process.getActiveResourcesInfo().length,
    os,
    version: `node/${process.versions.node}`
  }
}
