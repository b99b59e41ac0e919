import { type Command, matchesPath, type Plugin, type Status } from '../../../core/index.ts'
import { type HostConfiguration, toggled } from '../../configuration.ts'

const STATUSES: readonly Status[] = ['regular', 'newer', 'experimental', 'deprecated', 'removed']

export const isStatus = (name: string): name is Status => (STATUSES as readonly string[]).includes(name)

interface Decision {
  readonly on: boolean
  /** The setting that decided, in one line, for what is off. */
  readonly reason: string
  /** Whether nothing in the configuration decided. */
  readonly isDefault?: boolean
}

/** The facts about a plugin by which it is decided whether it runs. */
interface Toggled {
  readonly name: string
  readonly status: Status
  readonly offByDefault?: boolean | undefined
  readonly online?: boolean | undefined
  readonly keys?: readonly string[]
}

/** Whether a host talks to peers. */
export interface PeerOptions {
  /** Why it talks to no peers, in a few words (`daemon --offline`): plugins that do are off. Default: they are as configured. */
  readonly offline?: string | undefined
  /** Whether it joins the network where the configuration says nothing of the plugin `network`, as `holdfast daemon` does. Default: false. */
  readonly joins?: boolean | undefined
}

export const offlineReason = (offline: string) => `it talks to peers, and this node runs offline: ${offline}`

const ON: Decision = { on: true, reason: '' }

/**
 * Whether a plugin is wanted: its own line decides, then its status', then its default. What talks to peers is off where the host is offline.
 *
 * @param where - names the configuration for messages
 */
export function decidePlugin(
  { name, status, offByDefault = false, online = false, keys = [name] }: Toggled,
  configuration: HostConfiguration,
  where: string,
  { offline, joins = false }: PeerOptions = {}
): Decision {
  if (online && offline !== undefined) return { on: false, reason: offlineReason(offline) }
  for (const key of keys) {
    const toggle = toggled(configuration.plugins?.[key])
    if (toggle !== undefined) return toggle ? ON : { on: false, reason: `plugins: { ${key}: off } in ${where}` }
  }
  if (toggled(configuration.plugins?.[status]) === false) return { on: false, reason: `plugins: { ${status}: off } in ${where}` }
  if (offByDefault && !(online && joins))
    return { on: false, reason: `off by default: plugins: { ${name}: on } switches it on`, isDefault: true }
  return ON
}

/**
 * Whether a command of a plugin that is on answers: its own line under `commands` decides, then the longest pattern that matches, then
 * its status, unless the whole plugin bears that status and was switched on by name.
 */
export function decideCommand(
  command: Pick<Command, 'path' | 'status'>,
  plugin: Pick<Plugin, 'name' | 'status'>,
  configuration: HostConfiguration,
  where: string
): Decision {
  const { commands = {}, plugins = {} } = configuration
  const rules = Object.entries(commands).filter(
    ([pattern, rule]) => matchesPath(pattern, command.path) && (typeof rule !== 'object' || 'from' in rule)
  )
  const deciding = rules.filter(([, rule]) => typeof rule !== 'object').sort(([a], [b]) => specificity(b) - specificity(a))[0]
  if (deciding !== undefined) {
    const [pattern, rule] = deciding
    return toggled(rule) ? ON : { on: false, reason: `commands: { "${pattern}": off } in ${where}` }
  }
  if (toggled(plugins[command.status]) === false) {
    const wantedByName = plugin.status === command.status && toggled(plugins[plugin.name]) === true
    if (!wantedByName) return { on: false, reason: `plugins: { ${command.status}: off } in ${where}` }
  }
  return ON
}

const specificity = (pattern: string) => (pattern.includes('*') ? pattern.replaceAll('*', '').length : Number.POSITIVE_INFINITY)
