import { messageOf } from '../../../core/errors.ts'
import { isInitialised } from '../../../core/repo/layout.ts'
import type { HostConfiguration } from '../../configuration.ts'
import { createHost } from '../../create.ts'
import type { NodeHost } from '../../host.ts'
import { namedConfiguration, TRUST_IT, tellWithheld } from '../configuration/choose.ts'
import { peersOfDaemon } from '../configuration/environment.ts'
import { folderOf } from '../configuration/repo-folder.ts'
import type { Invocation } from '../line/invocation.ts'
import { TrustedFolders } from '../trust/folders.ts'
import { stateFolder } from '../trust/places.ts'
import { type Finding, ok, warning, wrong } from './finding.ts'
import { lookAtBootstrap, lookAtClock, lookAtSwarmPorts } from './network.ts'
import { lookAtAbsent, lookAtConfig, lookAtFolder, lookAtLimit, lookAtPassphrase, lookAtSpace } from './repo.ts'
import { lookAtRouting } from './routing.ts'
import { lookAtNode, lookAtPorts } from './running.ts'
import { lookAtStart } from './start.ts'

type Patient = Pick<Invocation, 'globals' | 'commands' | 'terminal'>

/** Everything that is looked at, in the order in which it would keep a node from starting. Nothing is changed, unless plugins are started. */
export async function findings(patient: Patient, start = false): Promise<Finding[]> {
  const { commands, globals } = patient
  const path = folderOf(globals, commands.loaded)
  const { host, findings: ofPlugins } = await plugins(patient, path)
  const found = [engine(), await configuration(patient), ...ofPlugins]
  const listeners = host?.planned.listeners.map(one => ({ ...one, isVital: host.onFailure(one.plugin) === 'abort' })) ?? []
  if (!(await isInitialised(path))) {
    return [...found, await lookAtAbsent(path), ...(await lookAtSpace(path)), ...(await lookAtPorts(undefined, undefined, listeners))]
  }
  const { config, findings: ofConfig } = await lookAtConfig(path)
  const hasPeers = isLoaded(host, 'network')
  if (config !== undefined && hasPeers) {
    ofConfig.push(...(await lookAtRouting(config, path, patient.terminal.env)), ...(await lookAtBootstrap(config)))
  }
  if (isLoaded(host, 'keys')) ofConfig.push(...(await lookAtPassphrase(keysFile(commands.configuration), patient.terminal.env)))
  const { running, findings: ofNode } = await lookAtNode(path, patient)
  found.push(...(await lookAtFolder(path)), ...ofConfig, ...ofNode, await lookAtClock(path), ...(await lookAtSpace(path)))
  if (start && !running && !found.some(({ state }) => state === 'wrong')) found.push(...(await lookAtStart(patient)))
  if (!running && config !== undefined) {
    if (!collects(commands.configuration)) found.push(...(await lookAtLimit(path, config, patient.terminal.interrupts())))
    found.push(...(await lookAtPorts(config, commands.configuration.rpc?.address, listeners)))
    if (hasPeers) found.push(...(await lookAtSwarmPorts(config)))
  }
  return found
}

function isLoaded(host: NodeHost | undefined, plugin: string): boolean {
  return host?.plugins().some(({ name, state }) => name === plugin && state === 'loaded') ?? false
}

/** Whether a daemon keeps the repo within its limit by itself. */
function collects({ plugins }: HostConfiguration): boolean {
  const settings = plugins?.['pins']
  return typeof settings === 'object' && settings['collect'] === 'periodic'
}

function keysFile({ plugins }: HostConfiguration): unknown {
  const settings = plugins?.['keys']
  if (typeof settings !== 'object') return undefined
  const { passphrase, passphraseFile } = settings as Readonly<Record<string, unknown>>
  return typeof passphrase === 'object' && passphrase !== null && 'file' in passphrase ? passphrase.file : passphraseFile
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

async function configuration({ commands: { problem, loaded, withheld }, globals, terminal: { cwd, env } }: Patient): Promise<Finding> {
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

const MEND = 'Mend that, or switch the plugin off in the configuration.'

/** The findings of a host that is made of the configuration over this repo; it is not started. */
async function plugins(
  { commands: { loaded, problem }, terminal: { env } }: Patient,
  path: string
): Promise<{ host?: NodeHost; findings: Finding[] }> {
  if (problem !== undefined) return { findings: [] }
  const { configuration, file, folder } = loaded
  const open = (onFailure: HostConfiguration['onFailure']) =>
    createHost({
      configuration: { ...configuration, onFailure },
      configurationFile: file,
      base: folder,
      repo: { path },
      ...peersOfDaemon(undefined, env)
    })
  try {
    const host = await open(configuration.onFailure)
    const refused = await host.planned.check().then(
      () => [],
      error => [wrong('plugins', error, 'Do what it says; nothing was changed.')]
    )
    const doubtful = [...failuresOf(host), ...host.planned.doubts].map(about =>
      warning('plugins', about, 'A node starts without it. Mend that, or take it out.')
    )
    if (refused.length + doubtful.length > 0) return { host, findings: [...refused, ...doubtful] }
    const count = host.plugins().filter(({ state }) => state === 'loaded').length
    return { host, findings: [ok('plugins', `${count} plugins fit together`)] }
  } catch (error) {
    // one that goes on in spite of them all knows of all that fail
    const all = await open('continue').then(failuresOf, (): string[] => [])
    const reasons = all.includes(messageOf(error)) ? all : [messageOf(error), ...all]
    const remedy = all.length > 0 ? MEND : 'Mend the configuration.'
    return { findings: reasons.map(reason => wrong('plugins', reason, remedy)) }
  }
}

function failuresOf(host: NodeHost): string[] {
  return host.plugins().flatMap(({ state, reason = '' }) => (state === 'failed' ? [reason] : []))
}

const MARKS: Readonly<Record<Finding['state'], string>> = { ok: 'ok', warning: 'warning', wrong: 'WRONG' }

export function drawFindings(found: readonly Finding[], started = false): string {
  const lines = found.map(({ check, state, about, remedy }) => {
    const head = `${MARKS[state].padEnd(8)} ${check.padEnd(13)} `
    const text = about.replaceAll('\n', `\n${' '.repeat(head.length)}`)
    return `${head}${text}${remedy === undefined ? '' : `\n${' '.repeat(head.length)}→ ${remedy}`}`
  })
  const bad = found.filter(({ state }) => state === 'wrong').length
  return `${lines.join('\n')}\n\n${bad === 0 ? `Nothing of what was looked at keeps a node from working here.${started ? '' : ' Values that plugins read at their start were not.'}` : `${bad} of these ${bad === 1 ? 'keeps' : 'keep'} a node from working here.`}\n`
}
