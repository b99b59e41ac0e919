import { Binding } from '../../core/binding/binding.ts'
import type { Calls, Command } from '../../core/index.ts'
import { Encoders } from '../../host/encode/encoders.ts'

/** As much of a host's calls as describes commands. */
export function callsOf(commands: readonly Command[]): Pick<Calls, 'commands' | 'binding' | 'encoding'> {
  return {
    commands: () => commands,
    binding: command => new Binding(command),
    encoding: (command, name) => new Encoders(command).get(name)
  }
}
