import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Peer } from '../../test/interop/nodes/peer.ts'
import { smallFiles } from '../support/files.ts'
import { MiB, seconds } from '../support/report.ts'

const FILES = 10_000
const LARGE = 4
const LARGE_SIZE = 128 * MiB

/** `add -r` by the command line beside a node, of many small files and of a few large ones that the node has not seen. */
export async function addByCommandLine(node: Peer, seed: number): Promise<Record<string, number>> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'))
  try {
    const many = await smallFiles(join(folder, 'many'), FILES, seed)
    const few = join(folder, 'few')
    await mkdir(few)
    for (let i = 0; i < LARGE; i++) await writeFile(join(few, `file-${i}`), largeFile(seed * LARGE + i))
    let cpu = 0
    const small = await seconds(async () => (cpu = await processorTime(node.commandLine('add', '-r', many))))
    const large = await seconds(() => processorTime(node.commandLine('add', '-r', few)))
    return {
      [`add -r of ${FILES} small files by the command line, ms`]: 1000 * small,
      'the processor of its client meanwhile, ms': 1000 * cpu,
      [`add -r of ${LARGE} files of ${LARGE_SIZE / MiB} MiB by the command line, ms`]: 1000 * large
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs a program to its end. @returns what it took of the processor, in seconds @throws where it fails */
async function processorTime({ command, env }: ReturnType<Peer['commandLine']>): Promise<number> {
  // the last line that a shell prints has the times of the programs it ran
  const script = '"$@" > /dev/null || exit; times'
  const { stdout } = await promisify(execFile)('sh', ['-c', script, 'sh', ...command], { env })
  const times = [
    ...stdout
      .trim()
      .split('\n')
      .at(-1)!
      .matchAll(/(\d+)m([\d.]+)s/g)
  ]
  return times.reduce((sum, [, minutes, rest]) => sum + 60 * Number(minutes) + Number(rest), 0)
}

function largeFile(seed: number): Buffer {
  const bytes = Buffer.alloc(LARGE_SIZE)
  for (let at = 0; at < LARGE_SIZE; at += 4096) bytes.writeDoubleLE(at + seed * LARGE_SIZE, at)
  return bytes
}
