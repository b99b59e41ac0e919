import type { Terminal } from '../terminal.ts'
import type { KnownCommands } from './known-commands.ts'
import type { GlobalValues } from './options.ts'
import type { Line } from './parse.ts'

/** A command line that named a command. */
export interface Invocation {
  readonly line: Line
  readonly globals: GlobalValues
  readonly commands: KnownCommands
  readonly terminal: Terminal
}
