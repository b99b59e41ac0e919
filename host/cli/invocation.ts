import type { Directory } from './directory.ts'
import type { GlobalValues } from './options.ts'
import type { Line } from './parse.ts'
import type { Terminal } from './terminal.ts'

/** A command line that named a command. */
export interface Invocation {
  readonly line: Line
  readonly globals: GlobalValues
  readonly directory: Directory
  readonly terminal: Terminal
}
