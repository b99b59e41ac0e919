import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { foreignFault } from '../../../core/files/foreign.ts'
import { builtFile } from '../../version.ts'
import type { Terminal } from '../terminal.ts'
import { type Finding, finding } from './finding.ts'
import { subjectAt } from './package.ts'

/** How long a module may take to be imported, in milliseconds. */
const PATIENCE = 30_000

/** Everything that is wrong with the plugin at a path: the folder of a package, or a file. */
export async function findingsAt(path: string): Promise<readonly Finding[]> {
  const { module, findings } = await subjectAt(path)
  if (module === undefined) return findings
  const fault = foreignFault(module)
  return [...findings, ...(fault === undefined ? await examined(module) : [finding(fault.message, 'until then it is not imported')])]
}

/** One line for each finding, with its remedy. @returns the exit status */
export async function check(path: string, { stdout, cwd }: Pick<Terminal, 'stdout' | 'cwd'>): Promise<number> {
  const found = await findingsAt(resolve(cwd, path))
  const lines = [...new Set(found.map(({ what, remedy }) => `${what}: ${remedy}`))]
  for (const line of lines.length === 0 ? ['Nothing a host would refuse.'] : lines) stdout.line(line)
  return lines.length === 0 ? 0 : 1
}

async function examined(module: string): Promise<readonly Finding[]> {
  const child = fork(fileURLToPath(builtFile('host/cli/plugin/examine.js')), [module], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const signal = AbortSignal.timeout(PATIENCE)
  try {
    const told = once(child, 'message', { signal }).then(([found]) => found as readonly Finding[])
    const ended = once(child, 'exit', { signal }).then(([code]) => [
      finding(`it ends the process when it is imported (status ${code})`, 'leave that to whoever runs the host')
    ])
    return await Promise.race([told, ended])
  } catch {
    return [finding(`importing it takes more than ${PATIENCE / 1000} s`, 'do the work in the start of a service')]
  } finally {
    child.kill('SIGKILL')
  }
}
