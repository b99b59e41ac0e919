import type { Command } from '../../core/contract/command.ts'
import { wireName } from '../../core/contract/params.ts'

/** The part of a command's declaration that its query takes; {@link outlineOf} finds it in a declaration. */
export interface CommandOutline {
  readonly path: string
  /** Names of the arguments in order. */
  readonly args?: readonly string[]
  /** Options whose name on the wire is not the declared one in kebab-case. */
  readonly names?: Readonly<Record<string, string>>
  /** Options that are lengths of time: a `bigint` counts nanoseconds. */
  readonly durations?: readonly string[]
  readonly reply: 'value' | 'stream' | 'either' | 'bytes' | 'nothing'
}

/** The outline of a declared command, e.g. a third party's. */
export function outlineOf({ path, args, options, reply }: Pick<Command, 'path' | 'args' | 'options' | 'reply'>): CommandOutline {
  const names = Object.entries(options).map(([key, { spec }]) => [key, wireName(key, spec)] as const)
  const strange = names.filter(([key, name]) => name !== kebab(key))
  const durations = Object.entries(options).filter(([, { spec }]) => spec.format === 'duration')
  return {
    path,
    ...(Object.keys(args).length === 0 ? {} : { args: Object.keys(args) }),
    ...(strange.length === 0 ? {} : { names: Object.fromEntries(strange) }),
    ...(durations.length === 0 ? {} : { durations: durations.map(([key]) => key) }),
    reply: reply.kind
  }
}

/** `rawLeaves` → `raw-leaves`; a name of one letter stays as it is. */
export function kebab(name: string): string {
  return name.length === 1 ? name : name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}
