/** Real Kubo, an old and a new one, built once where there is Go and kept outside the checkout. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

export type Version = '0.28' | '0.42'

export const VERSIONS: readonly Version[] = ['0.28', '0.42']

const MODULE = 'github.com/ipfs/kubo'
const QUIC = 'github.com/quic-go/quic-go'

/** The longest that the modules are fetched and compiled, in milliseconds: minutes on two cores. */
const BUILD_MS = 30 * 60_000

/** @param cache - Default: what `HOLDFAST_KUBO_CACHE` names, or a folder of the user's own */
export function binaryOf(
  version: Version,
  cache = process.env['HOLDFAST_KUBO_CACHE'] ?? join(homedir(), '.cache', 'holdfast', 'kubo')
): string {
  return join(cache, version, 'ipfs')
}

/** The versions that are there already. */
export function built(): readonly Version[] {
  return VERSIONS.filter(version => existsSync(binaryOf(version)))
}

/** Builds a version that is not there yet. @throws why it cannot be had */
export async function provide(version: Version): Promise<void> {
  const binary = binaryOf(version)
  if (existsSync(binary)) return
  await go(['version']).catch(() => {
    throw new Error('this machine has no Go')
  })
  const folder = join(binary, '..')
  await mkdir(folder, { recursive: true })
  const work = await mkdtemp(join(folder, 'build-'))
  try {
    console.log(`interop: Kubo ${version} is built once, for minutes`)
    // what was built half is never taken for the whole
    await rename(await compiled(version, work), binary)
  } catch (error) {
    throw new Error(`Kubo ${version} cannot be built: ${reasonOf(error)}`, { cause: error })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** In a copy of the module that can be written: `go install` refuses a module that replaces others. */
async function compiled(version: Version, work: string): Promise<string> {
  const source = await copied(`${MODULE}@v${version}.0`, work, join(work, 'kubo'))
  if (version === '0.28') await mendQuic(source, join(work, 'quic-go'))
  await go(['build', '-o', join(work, 'ipfs'), './cmd/ipfs'], source, { GOFLAGS: '-mod=mod' })
  return join(work, 'ipfs')
}

/** The QUIC of 0.28 panics at the first peer that dials it when a Go of today compiled it: that says nothing where no session ticket is made. */
async function mendQuic(source: string, folder: string): Promise<void> {
  await copied(QUIC, source, folder)
  const file = join(folder, 'internal', 'handshake', 'crypto_setup.go')
  const text = await readFile(file, 'utf8')
  await writeFile(
    file,
    text.replace(/^\tev := h\.conn\.NextEvent\(\)\n/m, '$&\tif ev.Kind == tls.QUICNoEvent {\n\t\treturn nil, nil\n\t}\n')
  )
  await go(['mod', 'edit', '-replace', `${QUIC}=${folder}`], source)
}

/** Copies a module to where it can be written. */
async function copied(module: string, from: string, to: string): Promise<string> {
  const { Dir } = JSON.parse(await go(['mod', 'download', '-json', module], from)) as { Dir: string }
  await cp(Dir, to, { recursive: true })
  const entries = await readdir(to, { recursive: true, withFileTypes: true })
  for (const path of [to, ...entries.map(({ parentPath, name }) => join(parentPath, name))]) await chmod(path, 0o755)
  return to
}

async function go(args: readonly string[], cwd?: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, GOTOOLCHAIN: 'local', ...env }, timeout: BUILD_MS, maxBuffer: 1 << 26 }
  return (await execute('go', args, options)).stdout
}

/** The last that Go said; with `-json` it says on its output what was wrong. */
function reasonOf(error: unknown): string {
  const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string }
  const said = /"Error": "(.*)"/.exec(stdout)?.[1] ?? stderr.trim().split('\n').slice(-3).join(' ')
  return said || message.trim()
}
