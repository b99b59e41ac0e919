import type { BodyDeclaration, Command } from '../../core/index.ts'
import { ArgumentList } from './arguments.ts'
import { OptionTable } from './options.ts'

/** What a command's declaration means for those who turn words into a call; made once per command. */
export class Binding {
  readonly options: OptionTable
  readonly args: ArgumentList
  readonly body: BodyDeclaration | undefined

  /** Without a command: a group, which knows the global options only. */
  constructor(command?: Command) {
    this.options = new OptionTable(command?.options ?? {})
    this.args = new ArgumentList(command?.args ?? {})
    this.body = command?.body
  }
}
