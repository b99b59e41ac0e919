import { ArgumentList } from '../../../core/binding/arguments.ts'
import type { Example } from '../../../core/contract/command.ts'
import type { Arguments, Options, Parameters } from '../../../core/contract/params.ts'
import { cliErrors } from '../errors.ts'
import type { ProgramDeclaration } from '../line/declaration.ts'
import type { KnownCommands } from '../line/known-commands.ts'
import type { GlobalValues } from '../line/options.ts'
import type { Line } from '../line/parse.ts'
import type { Terminal } from '../terminal.ts'

/** The call of a program of this command line. */
export interface ProgramCall<A = Readonly<Record<string, unknown>>, O = Readonly<Record<string, unknown>>> {
  readonly args: A
  readonly options: O & GlobalValues
  readonly terminal: Terminal
  readonly commands: KnownCommands
}

/** A program of this command line, beside the node's commands. */
export interface Program extends ProgramDeclaration {
  /** @returns the exit status */
  run(call: ProgramCall): Promise<number>
}

export function program<const A extends Parameters = {}, const O extends Parameters = {}>(declaration: {
  path: string
  help: string
  args?: A
  options?: O
  examples?: readonly Example[]
  hidden?: boolean
  tolerant?: boolean
  run(call: ProgramCall<Arguments<A>, Options<O>>): Promise<number>
}): Program {
  return {
    status: 'regular',
    args: {},
    options: {},
    body: undefined,
    examples: [],
    hidden: false,
    tolerant: false,
    ...declaration
  } as unknown as Program
}

/** Turns the words of a line into a program's call. @throws what is wrong with them */
export function programAct(program: Program, line: Line, commands: KnownCommands, terminal: Terminal): () => Promise<number> {
  const { table, words, pairs } = line
  const list = new ArgumentList(program.args)
  if (words.length > list.most) throw cliErrors.E_WORDS_TOO_MANY(words[list.most]!, list.most)
  list.check(words)
  const given = table.gather(pairs)
  const options = table.formats(given, table.values(given))
  return () => program.run({ args: list.values(words), options, terminal, commands })
}
