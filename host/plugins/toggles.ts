import { type Command, matchesPath, type Plugin, type Status } from '../../core/index.ts'
import { type HostConfiguration, toggled } from '../configuration.ts'

const STATUSES: readonly Status[] = ['regular', 'experimental', 'deprecated', 'removed']

export const isStatus = (name: string): name is Status => (STATUSES as readonly string[]).includes(name)

export interface Decision {
  readonly on: boolean
  /** The setting that decided, in one line, for what is off. */
  readonly reason: string
  /** Nothing in the configuration decided. */
  readonly isDefault?: boolean
}

const ON: Decision = { on: true, reason: '' }

/** Whether a plugin is wanted: its own line decides, then its status', then its default. `where` names the configuration for messages. */
export function decidePlugin(
  { name, status, offByDefault = false, keys = [name] }: { name: string; status: Status; offByDefault?: boolean; keys?: readonly string[] },
  configuration: HostConfiguration,
  where: string
): Decision {
  for (const key of keys) {
    const own = toggled(configuration.plugins?.[key])
    if (own !== undefined) return own ? ON : { on: false, reason: `plugins: { ${key}: off } in ${where}` }
  }
  if (toggled(configuration.plugins?.[status]) === false) return { on: false, reason: `plugins: { ${status}: off } in ${where}` }
  if (offByDefault) return { on: false, reason: `off by default: plugins: { ${name}: on } switches it on`, isDefault: true }
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
