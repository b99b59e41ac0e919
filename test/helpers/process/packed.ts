/** This package as a stranger gets it: packed, unpacked into a project of its own, offline. */
import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)
export const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** A folder with `node_modules` in it that hold this package as packed; its dependencies are those of the repository. */
export interface Project {
  readonly folder: string
  /** The installed program's file. */
  readonly holdfast: string
  /** Runs a program in a folder of the project. @returns what it printed */
  run(program: string, args: readonly string[], folder?: string): Promise<string>
  /** Packs packages and unpacks them into `node_modules`. */
  install(...folders: readonly string[]): Promise<void>
  /** Copies a package beside the project, where it finds the same `node_modules`. @returns its folder */
  copy(from: string, name: string): Promise<string>
  remove(): Promise<void>
}

/** What a stranger has installed beside this package. */
const TOOLS = ['typescript', '@types/node', '@biomejs/biome']

export async function packedProject(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-packed-'))
  const modules = join(folder, 'node_modules')
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { dependencies: Record<string, string> }
  for (const name of [...Object.keys(manifest.dependencies), ...TOOLS]) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  const env = {
    ...process.env,
    PATH: [dirname(process.execPath), join(modules, '.bin'), process.env['PATH']].join(delimiter),
    npm_config_offline: 'true',
    npm_config_loglevel: 'error',
    npm_config_update_notifier: 'false',
    npm_config_cache: join(folder, '.npm'),
    NODE_TEST_CONTEXT: undefined
  }
  const holdfast = join(modules, 'holdfast', 'dist', 'bundle', 'host', 'cli', 'bin.js')
  const run = async (program: string, args: readonly string[], at = folder) => {
    try {
      const { stdout, stderr } = await execute(program, args, { cwd: at, env, maxBuffer: 1 << 26 })
      return stdout + stderr
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
      throw new Error(`${program} ${args.join(' ')}: ${(error as Error).message}\n${stdout}${stderr}`, { cause: error })
    }
  }
  const install = async (...folders: readonly string[]) => {
    const packs = await mkdtemp(join(folder, 'packs-'))
    await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', packs, ...folders])
    for (const pack of await readdir(packs)) {
      const to = join(modules, pack.replace(/-\d+\.\d+\.\d+\.tgz$/, ''))
      await mkdir(to, { recursive: true })
      await run('tar', ['-xzf', join(packs, pack), '-C', to, '--strip-components=1'])
    }
  }
  const copy = async (from: string, name: string) => {
    const to = join(folder, name)
    await cp(from, to, { recursive: true, filter: path => !/[\\/](dist|node_modules)$/.test(path) })
    return to
  }
  await install(root)
  await mkdir(join(modules, '.bin'))
  for (const name of ['tsc', 'biome']) await symlink(join(root, 'node_modules', '.bin', name), join(modules, '.bin', name))
  await chmod(holdfast, 0o755)
  await symlink(holdfast, join(modules, '.bin', 'holdfast'))
  return { folder, holdfast, run, install, copy, remove: () => rm(folder, { recursive: true, force: true }) }
}
