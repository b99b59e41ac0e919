import { isInitialised } from '../../../core/repo/layout.ts'
import { createHost } from '../../create.ts'
import { namedConfiguration, TRUST_IT, tellWithheld } from '../configuration.ts'
import { folderOf } from '../repo-folder.ts'
import type { Said } from '../run.ts'
import { TrustedFolders } from '../trust/folders.ts'
import { stateFolder } from '../trust/places.ts'
import { type Finding, ok, warning, wrong } from './finding.ts'
import { lookAtConfig, lookAtFolder, lookAtSpace } from './repo.ts'
import { lookAtNode, lookAtPorts } from './running.ts'

type Patient = Pick<Said, 'globals' | 'directory' | 'terminal'>

/** Everything that is looked at, in the order in which it would keep a node from starting. Nothing is changed. */
export async function findings(patient: Patient): Promise<Finding[]> {
  const { directory, globals } = patient
  const path = folderOf(globals, directory.loaded)
  const found = [engine(), await configuration(patient), ...(await plugins(patient))]
  if (!(await isInitialised(path))) {
    return [...found, wrong('repo', `there is no repo in ${path}`, 'Make one: holdfast init'), ...(await lookAtSpace(path))]
  }
  const { config, findings: ofConfig } = await lookAtConfig(path)
  const { running, findings: ofNode } = await lookAtNode(path, patient)
  found.push(...(await lookAtFolder(path)), ...ofConfig, ...ofNode, ...(await lookAtSpace(path)))
  if (!running && config !== undefined) found.push(...(await lookAtPorts(config, directory.configuration.rpc?.address)))
  return found
}

/** The oldest Node.js that runs this program. */
const OLDEST = [22, 20] as const

export function engine(version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const old = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])
  return old
    ? wrong('node', `Node.js ${version} is older than ${OLDEST.join('.')}`, `Install Node.js ${OLDEST.join('.')} or newer.`)
    : ok('node', `Node.js ${version}`)
}

async function configuration({ directory: { problem, loaded, withheld }, globals, terminal: { cwd, env } }: Patient): Promise<Finding> {
  if (problem !== undefined) return wrong('configuration', problem, 'Mend the file, or name another with --config.')
  const used = loaded.file === undefined ? 'no configuration file: everything is at its default' : loaded.file
  if (namedConfiguration({ file: globals.config, cwd, env }) !== undefined) return ok('configuration', used)
  const left = withheld === undefined ? undefined : await tellWithheld(withheld)
  if (left !== undefined) return warning('configuration', `${used}\n${left}`, TRUST_IT)
  try {
    const isTrusted = await new TrustedFolders(stateFolder({ env })).has(cwd)
    return ok('configuration', `${used}\n${cwd} is ${isTrusted ? 'a' : 'no'} trusted folder`)
  } catch (error) {
    return wrong('configuration', error, 'Only you may write what is remembered of trusted folders.')
  }
}

async function plugins({ directory: { loaded, problem } }: Patient): Promise<Finding[]> {
  if (problem !== undefined) return []
  const { configuration, file, folder } = loaded
  try {
    const host = await createHost({
      configuration: { ...configuration, onFailure: 'continue' },
      configurationFile: file,
      base: folder,
      repo: { path: undefined, init: {} }
    })
    const states = host.plugins()
    const failed = states.filter(({ state }) => state === 'failed')
    const count = states.filter(({ state }) => state === 'loaded').length
    return failed.length === 0
      ? [ok('plugins', `${count} plugins fit together`)]
      : failed.map(({ reason = '' }) => wrong('plugins', reason, 'Mend that, or switch the plugin off in the configuration.'))
  } catch (error) {
    return [wrong('plugins', error, 'Mend the configuration: holdfast plugins shows what it makes.')]
  }
}

const MARKS: Readonly<Record<Finding['state'], string>> = { ok: 'ok', warning: 'warning', wrong: 'WRONG' }

export function drawFindings(found: readonly Finding[]): string {
  const lines = found.map(({ check, state, about, remedy }) => {
    const head = `${MARKS[state].padEnd(8)} ${check.padEnd(13)} `
    const text = about.replaceAll('\n', `\n${' '.repeat(head.length)}`)
    return `${head}${text}${remedy === undefined ? '' : `\n${' '.repeat(head.length)}→ ${remedy}`}`
  })
  const bad = found.filter(({ state }) => state === 'wrong').length
  return `${lines.join('\n')}\n\n${bad === 0 ? 'Nothing keeps a node from working here.' : `${bad} of these ${bad === 1 ? 'keeps' : 'keep'} a node from working here.`}\n`
}
