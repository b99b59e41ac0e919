import type { Binding, Command, ParameterSpec } from '../../../core/index.ts'

/** A member of a tool's input that becomes words of a call. */
export interface Input {
  /** The declared name of an argument, or the name of an option on the wire. */
  readonly name: string
  readonly spec: ParameterSpec
  readonly required: boolean
  /** The name of the option that it stands for; undefined for an argument. */
  readonly option: string | undefined
}

/** The member of a tool's input that has the files of a call. */
export const FILES = 'files'

/** Options of every command that say something to a client of this protocol. */
const OF_ALL: ReadonlySet<string> = new Set(['cidBase', 'offline', 'timeout', 'upgradeCidv0InOutput'])

/**
 * The inputs of a command, but for its files: arguments in order, then options. Paths of the caller's own machine are left out, as nobody
 * there would store anything.
 */
export function inputsOf(command: Command, binding: Binding): readonly Input[] {
  const taken = new Set(command.body === undefined ? [] : [FILES])
  const freeName = (name: string, otherwise: string) => {
    const free = taken.has(name) ? otherwise : name
    taken.add(free)
    return free
  }
  const args = Object.entries(command.args).map(([key, { spec }]) => ({
    name: freeName(key, `${key}Argument`),
    spec,
    required: !spec.optional && spec.default === undefined,
    option: undefined
  }))
  const options = binding.options.entries
    .filter(({ key, spec }) => (Object.hasOwn(command.options, key) || OF_ALL.has(key)) && spec.format !== 'file')
    .map(({ name, spec }) => ({ name: freeName(name, `${name}-option`), spec, required: false, option: name }))
  return [...args, ...options]
}
