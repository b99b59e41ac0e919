import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'

/** A library that stands between a program and the C library, or why there is none. */
export type Preload = { readonly library: string } | { readonly missing: string }

/** A test that needs one: it is skipped where there is none, and its title says why. One at a time. */
export function withLibrary(preloaded: Preload, title: string, run: (t: ExecutionContext, library: string) => Promise<void>): void {
  if ('missing' in preloaded) test.skip(`${title} (${preloaded.missing})`, () => {})
  else test.serial(title, t => run(t, preloaded.library))
}

/**
 * Compiles it, for `LD_PRELOAD`. It is kept by its content, so that it is compiled once.
 *
 * @param source - the file in C
 */
export function preload(source: string): Preload {
  if (process.platform !== 'linux') return { missing: 'only Linux has LD_PRELOAD' }
  const hash = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16)
  const folder = join(tmpdir(), `holdfast-faults-${process.getuid!()}`)
  const library = join(folder, `${basename(source, '.c')}-${hash}.so`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = statSync(folder)
  if (uid !== process.getuid!() || (mode & 0o022) !== 0) return { missing: `others may write ${folder}` }
  if (existsSync(library)) return { library }
  const made = `${library}.${process.pid}`
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', made, source, '-ldl', '-lpthread'], { stdio: ['ignore', 'ignore', 'pipe'] })
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: Buffer }
    if (code === 'ENOENT') return { missing: 'this machine has no C compiler' }
    return { missing: `the C compiler says: ${stderr?.toString().trim().split('\n').at(-1) ?? error}` }
  }
  renameSync(made, library)
  return { library }
}
