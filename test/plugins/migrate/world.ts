import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'
import { createHost } from '../../../host/create.ts'
import type { NodeHost } from '../../../host/host.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { commandLine, type Ran } from '../../helpers/process/command-line.ts'

/** The releases of Kubo whose repos are here. */
export const RELEASES = ['0.28', '0.42'] as const

const repos = fileURLToPath(new URL('../../../../test/plugins/migrate/repos/', import.meta.url))

/** What the reference said of its repo before it was stopped. */
export interface Told {
  readonly repoVersion: number
  readonly peerId: string
  readonly mfsRoot: string
  readonly tree: string
  readonly many: string
  readonly pins: ReadonlyArray<{ readonly cid: string; readonly mode: string; readonly name?: string }>
  readonly keys: Readonly<Record<string, string>>
  readonly names: Readonly<Record<string, string>>
  readonly blocks: readonly string[]
}

export interface Unpacked {
  readonly path: string
  readonly told: Told
  /** A folder beside the repo, for whatever else the test needs. */
  readonly folder: string
}

/** A copy of a repo that the reference made. */
export async function unpacked(t: ExecutionContext, release: string = '0.28'): Promise<Unpacked> {
  const folder = await temporaryFolder(t)
  await promisify(execFile)('tar', ['xzf', join(repos, `kubo-repo-${release}.tar.gz`), '-C', folder])
  const told = JSON.parse(await readFile(join(repos, `kubo-repo-${release}.json`), 'utf8')) as Told
  return { path: join(folder, `kubo-repo-${release}`), told, folder }
}

/** `holdfast migrate` with these words, into a repo in this folder. */
export function migrate(repo: string, ...words: readonly string[]): Promise<Ran> {
  return commandLine(['migrate', ...words, '--repo', repo])
}

/** A host on a repo. */
export async function hostOn(t: ExecutionContext, path: string): Promise<NodeHost> {
  const host = await createHost({ configuration: { rpc: { checkReplies: true } }, repo: { path }, offline: 'a test' })
  t.teardown(() => host.stop())
  await host.start()
  return host
}

/** The report that a run ends with. */
export function reportOf({ out }: Ran) {
  const items = out
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as { Report?: Record<string, unknown> })
  return items.at(-1)?.Report
}

/** All files of a folder by their paths: what is in them, their permissions, and when they were changed. */
export async function snapshot(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const { mode, mtimeMs } = await lstat(path)
    const content = entry.isFile()
      ? createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
      : ''
    files[path.slice(folder.length + 1)] = `${mode.toString(8)} ${mtimeMs} ${content}`
  }
  return files
}
