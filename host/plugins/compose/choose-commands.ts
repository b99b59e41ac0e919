import { didYouMean } from '../../../config/host/suggest.ts'
import { atLevel, type Command, DEFAULT_LEVEL, matchesPath, type Plugin } from '../../../core/index.ts'
import type { HostConfiguration } from '../../configuration.ts'
import { hostErrors } from '../../errors.ts'
import { failedUnread, type LoadedPlugin, mayHaveFailed, type NotLoaded, whyAbsent } from '../load/load.ts'
import { decideCommand } from '../load/toggles.ts'

export interface CommandChoice {
  readonly command: Command
  readonly plugin: Plugin
}

/**
 * Which command of whom answers, and which paths are off by which setting. Lines that match nothing are `doubts` where a plugin failed that may
 * have declared what they mean.
 *
 * @throws E_COMMAND_FROM, E_COMMAND_TWICE, E_COMMAND_UNKNOWN
 */
export function chooseCommands(
  loaded: readonly LoadedPlugin[],
  notLoaded: readonly NotLoaded[],
  configuration: HostConfiguration,
  where: string
) {
  const commands: CommandChoice[] = []
  const off = new Map<string, string>()
  const declared = declarers(loaded)
  const rules = Object.entries(configuration.commands ?? {})
  const level = configuration.rpc?.level ?? DEFAULT_LEVEL
  for (const [path, choices] of declared) {
    const rule = rules.find(([pattern, value]) => typeof value === 'object' && matchesPath(pattern, path))?.[1]
    let chosen = choices
    if (typeof rule === 'object') {
      chosen = choices.filter(({ plugin }) => keysOf(loaded, plugin).includes(rule.from))
      if (chosen.length === 0) {
        const why = whyAbsent(rule.from, { loaded, notLoaded })
        const names = choices.map(c => c.plugin.name)
        if (!mayHaveFailed(rule.from, { loaded, notLoaded })) throw hostErrors.E_COMMAND_FROM(path, rule.from, why, names, where)
        off.set(path, `it is to come from '${rule.from}': ${why}`)
      }
    }
    const asked = chosen.filter(({ command, plugin }) => {
      const { on, reason } = decideCommand(command, plugin, configuration, where)
      if (!on) off.set(path, reason)
      return on
    })
    // what only says that a command is gone gives way to one that is there
    const present = asked.filter(({ command }) => command.status !== 'removed')
    const wanted = present.length > 0 ? present : asked
    if (wanted.length > 1)
      throw hostErrors.E_COMMAND_TWICE(
        path,
        wanted.map(c => c.plugin.name)
      )
    if (wanted.length === 1) {
      off.delete(path)
      const { command, plugin } = wanted[0]!
      commands.push({ command: atLevel(command, level), plugin })
    }
  }
  for (const { paths, reason, state } of notLoaded) {
    for (const path of paths) if (state === 'off' && !declared.has(path)) off.set(path, reason)
  }
  const known = [...declared.keys(), ...notLoaded.flatMap(one => one.paths)]
  const unread = failedUnread(notLoaded).map(({ name }) => name)
  const doubts: string[] = []
  for (const [pattern] of rules) {
    if (known.some(path => matchesPath(pattern, path))) continue
    const unknown = hostErrors.E_COMMAND_UNKNOWN(pattern, where, didYouMean(pattern, known), unread)
    if (unread.length === 0) throw unknown
    doubts.push(unknown.message)
  }
  return { commands, off, doubts }
}

const keysOf = (loaded: readonly LoadedPlugin[], plugin: Plugin) => loaded.find(one => one.plugin === plugin)?.keys ?? [plugin.name]

/** All commands that loaded plugins declare, by path. */
function declarers(loaded: readonly LoadedPlugin[]): Map<string, Array<{ plugin: Plugin; command: Command }>> {
  const byPath = new Map<string, Array<{ plugin: Plugin; command: Command }>>()
  for (const { plugin } of loaded) {
    for (const command of plugin.commands) byPath.set(command.path, [...(byPath.get(command.path) ?? []), { plugin, command }])
  }
  return byPath
}
