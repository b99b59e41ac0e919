import type { Body, BodyDeclaration } from '../contract/body.ts'
import type { Command } from '../contract/command.ts'
import { ArgumentList, type Lines } from './arguments.ts'
import { callErrors } from './errors.ts'
import { OptionTable } from './options.ts'

/** A call in words. */
export interface Words {
  /** Words for the arguments, in order. */
  readonly words: readonly string[]
  /** Pairs of any of an option's names and its text. A name may stand several times where the option may be repeated. */
  readonly options?: ReadonlyArray<readonly [name: string, text: string]>
  /** Lines that stand for arguments that take them from a body. */
  readonly lines?: Lines | undefined
  /** How many words there may be, lines included. Default: any number. */
  readonly most?: number
  readonly body?: Body | undefined
}

/** The product of {@link Binding.bind}: the part of a call's request that comes from them. */
export interface CallValues {
  readonly args: Readonly<Record<string, unknown>>
  readonly options: Readonly<Record<string, unknown>>
  readonly callerWords: { readonly words: readonly string[]; readonly options: Readonly<Record<string, unknown>> }
  readonly body: Body | undefined
}

/** A command's declaration as it is read by those who turn words into a call; made once per command. */
export class Binding {
  readonly options: OptionTable
  readonly args: ArgumentList
  readonly body: BodyDeclaration | undefined

  /** @param command - undefined for a group, which knows the global options only */
  constructor(command?: Command) {
    this.options = new OptionTable(command?.options ?? {})
    this.args = new ArgumentList(command?.args ?? {})
    this.body = command?.body
  }

  /**
   * The values that words stand for.
   *
   * @throws E_OPTION_UNKNOWN, E_OPTION_TWICE, E_OPTION_VALUE, E_ARGUMENT_MISSING, E_ARGUMENTS_TOO_MANY, E_ARGUMENT_SURPLUS, E_FILE_MISSING,
   * the complaint of a format's parser, and what the lines throw
   */
  async bind({ words: first, options: pairs = [], lines, most = Number.POSITIVE_INFINITY, body }: Words): Promise<CallValues> {
    for (const [name] of pairs) if (this.options.find(name) === undefined) throw callErrors.E_OPTION_UNKNOWN(name)
    const given = this.options.gather(pairs)
    const said = this.options.values(given)
    const words = [...first]
    if (body === undefined && lines === undefined && this.body?.required === true) {
      this.args.check(words)
      throw callErrors.E_FILE_MISSING(this.body.name)
    }
    if (lines === undefined) this.args.check(words)
    else {
      await this.args.require(words, lines)
      await this.args.takeLines(words, lines, most)
    }
    if (words.length > most) throw callErrors.E_ARGUMENTS_TOO_MANY(most)
    if (words.length > this.args.most) throw callErrors.E_ARGUMENT_SURPLUS(words[this.args.most]!)
    return { args: this.args.values(words), options: this.options.formats(given, said), callerWords: { words, options: said }, body }
  }
}
