import { access, constants, readFile, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { durationProblems, nodeConfigModel } from '../../../config/node/index.ts'
import { messageOf } from '../../../core/errors.ts'
import { readSecret } from '../../../core/files/secret.ts'
import type { NodeConfig } from '../../../core/index.ts'
import { identityIn } from '../../../core/repo/identity.ts'
import { REPO_VERSION, remainsOf, repoFiles } from '../../../core/repo/layout.ts'
import { folderSize, NO_LIMIT, OVER_STORAGE_MAX, storageMax } from '../../../core/repo/size.ts'
import { LOST_CONFIG, MEND_VERSION, NEWER_REPO } from '../remedy.ts'
import { COLLECT, type Finding, ok, warning, wrong } from './finding.ts'

/** Why there is no repo that could be worked on. */
export async function lookAtAbsent(path: string): Promise<Finding> {
  const remains = await remainsOf(path)
  if (remains === 'unreadable') return wrong('permissions', `this user may not look into ${path}`, giveTo(path))
  if (remains === 'no-config') return wrong('repo', `there is a repo in ${path}, and its file 'config' is missing`, LOST_CONFIG)
  return wrong('repo', `there is no repo in ${path}`, 'Make one: holdfast init')
}

const giveTo = (path: string) => `Give it to this user: chown -R "$USER" '${path}'`

/** Whether this user may work in the repo, and nobody else read its key; and whether it is of this version. */
export async function lookAtFolder(path: string): Promise<Finding[]> {
  const found: Finding[] = []
  const names = ['.', repoFiles.config, repoFiles.version]
  for (const name of names) {
    const denied = await access(join(path, name), constants.R_OK | constants.W_OK).catch(error => error as NodeJS.ErrnoException)
    if (denied?.code === 'ENOENT') continue
    if (denied?.code === 'EROFS') {
      const about = `the file system of ${path} is read-only: what is there can be read, and nothing stored`
      return [wrong('permissions', about, `Mount it for writing, or copy the repo elsewhere: mount -o remount,rw`), await version(path)]
    }
    if (denied) found.push(wrong('permissions', `this user may not read and write ${join(path, name)}`, giveTo(path)))
  }
  const config = join(path, repoFiles.config)
  const mode = (await stat(config)).mode & 0o777
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    found.push(warning('permissions', `others may read the private key in ${config}`, `Keep them out: chmod 600 '${config}'`))
  if (found.length === 0) found.push(ok('permissions', `${path} is this user's`))
  return [...found, await version(path)]
}

async function version(path: string): Promise<Finding> {
  const text = await readFile(join(path, repoFiles.version), 'utf8').catch(() => '')
  if (text.trim() === String(REPO_VERSION)) return ok('repo', `version ${REPO_VERSION} in ${path}`)
  if (!/^\d+$/.test(text.trim()))
    return wrong(
      'repo',
      `${join(path, repoFiles.version)} does not say the repo's version${text.trim() === '' ? '' : `, but '${text.trim()}'`}`,
      MEND_VERSION
    )
  const remedy = Number(text) > REPO_VERSION ? NEWER_REPO : "Migrate it with 'ipfs repo migrate' of Kubo 0.28 first."
  return wrong('repo', `${path} has version '${text.trim()}', this program works with ${REPO_VERSION}`, remedy)
}

/** The node's own configuration, and what is wrong with it. */
export async function lookAtConfig(path: string): Promise<{ config: NodeConfig | undefined; findings: Finding[] }> {
  const file = join(path, repoFiles.config)
  try {
    const refused: unknown[] = []
    const config = nodeConfigModel.parse(await readFile(file, 'utf8'), file, value => refused.push(value))
    if (refused.length > 0) return { config: undefined, findings: refused.map(value => wrong('node-config', value, SET_VALUE)) }
    try {
      nodeConfigModel.checkStart(config, file)
    } catch (error) {
      return { config: undefined, findings: [wrong('node-config', error, SET_VALUE)] }
    }
    const findings = durationProblems(config).map(problem => wrong('node-config', `${file}: ${problem}`, SET_DURATION))
    findings.push(...lookAtIdentity(config, file))
    return { config: nodeConfigModel.effective(config), findings: findings.length === 0 ? [ok('node-config', file)] : findings }
  } catch (error) {
    return {
      config: undefined,
      findings: [wrong('node-config', messageOf(error), `Mend ${file}, or put back a copy of it.`)]
    }
  }
}

const SET_VALUE = 'Give it another value: holdfast config KEY VALUE'
const SET_DURATION = "Give it a duration such as '1h30m': holdfast config KEY VALUE"

function lookAtIdentity(config: NodeConfig, file: string): Finding[] {
  try {
    identityIn(config, file)
    return []
  } catch (error) {
    const remedy = 'Put back the Identity of a copy of the file: both values belong together, and are who the node is.'
    return [wrong('node-config', error, remedy)]
  }
}

/** The passphrase that keys are encrypted under, where a file has it. Nothing where none is named. */
export async function lookAtPassphrase(setting: unknown, env: Readonly<Record<string, string | undefined>>): Promise<Finding[]> {
  const file = typeof setting === 'string' ? setting : env['HOLDFAST_KEY_PASSPHRASE_FILE'] || undefined
  if (file === undefined) return []
  try {
    await readSecret(file)
    return [ok('passphrase', `the passphrase of the keys is in ${file}`)]
  } catch (error) {
    const from = typeof setting === 'string' ? 'plugins.keys.passphraseFile, or passphrase: { file: PATH }' : 'HOLDFAST_KEY_PASSPHRASE_FILE'
    return [wrong('passphrase', error, `Name the file that has it, of this user alone (chmod 600): ${from}`)]
  }
}

const MiB = 1 << 20
/** On a full disk the node does not start, so nothing of its own can make room. */
const FULL =
  'Make room first by removing or moving other files of that file system, as without some room a collection does not start either. Then: holdfast repo gc'
/** Below this, work ends soon; the store keeps some of it for itself. */
const NEEDED = 256 * MiB
const COMFORTABLE = 4096 * MiB
/** The same of inodes. */
const NEEDED_INODES = 1024

/** Room on the file system of the repo, or of where it would be. */
export async function lookAtSpace(path: string): Promise<Finding[]> {
  const folder = await nearest(path)
  const { bavail, bsize, files, ffree } = await statfs(folder)
  // some file systems have no table of them
  if (files > 0 && ffree < NEEDED_INODES)
    return [
      wrong('space', `${ffree} inodes free for ${path}`, 'Remove files that are many and small, or give the file system more inodes.')
    ]
  const free = bavail * bsize
  const about = `${(free / (1024 * MiB)).toFixed(1)} GiB free for ${path}`
  if (free < NEEDED) return [wrong('space', about, FULL)]
  if (free < COMFORTABLE) return [warning('space', about, 'Make room before it runs out: holdfast repo gc removes what no pin keeps.')]
  return [ok('space', about)]
}

const LIMIT = 'Give it a size: holdfast config Datastore.StorageMax 10GB'

/** Whether the repo of a node that does not run takes more than it may. */
export async function lookAtLimit(path: string, config: NodeConfig, signal: AbortSignal): Promise<Finding[]> {
  const { StorageMax } = (config['Datastore'] ?? {}) as { StorageMax?: string }
  try {
    const most = storageMax({ get: <T>() => StorageMax as T })
    if (most === NO_LIMIT || (await folderSize(path, { most, signal })) <= most) return []
    return [warning('space', OVER_STORAGE_MAX, COLLECT)]
  } catch (error) {
    return [warning('space', messageOf(error), LIMIT)]
  }
}

async function nearest(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() || dirname(path) === path ? path : nearest(dirname(path))
}
