import type { Call, Command } from '../../core/index.ts'
import type { Printer } from './terminal.ts'
import { bytesOf } from './text.ts'

/** What a terminal shows of a command's items: its own text for terminals, else its text, else JSON, one a line. */
export async function* textOf(command: Command, items: AsyncIterable<unknown>, call: () => Call): AsyncGenerator<string> {
  const text = command.terminal ?? command.text
  if (text === undefined) for await (const item of items) yield `${JSON.stringify(item)}\n`
  else if (typeof text === 'function') {
    let made: Call | undefined
    for await (const item of items) {
      made ??= call()
      yield text(item, made)
    }
  } else yield* text.lines(items, call())
}

export async function print(text: AsyncIterable<string>, printer: Printer): Promise<void> {
  for await (const piece of text) {
    const room = piece.isWellFormed() ? printer.text(piece) : printer.bytes(bytesOf(piece))
    if (room !== undefined) await room
  }
}
