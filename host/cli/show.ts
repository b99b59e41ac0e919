import type { Call, Command } from '../../core/index.ts'
import { cliErrors } from './errors.ts'
import type { Printer, Terminal } from './terminal.ts'
import { bytesOf } from './text.ts'
import type { Watch } from './watch.ts'

export interface ShowContext {
  readonly call: () => Call
  readonly printer: Printer
  readonly terminal: Terminal
  readonly watch: Watch | undefined
}

/**
 * Prints what a terminal shows of a command's items: its own text for terminals, else its text, else JSON, one a line.
 *
 * @throws E_ITEMS_FAILED behind the last item when one told of a failure, and what the items throw
 */
export async function show(command: Command, items: AsyncIterable<unknown>, context: ShowContext): Promise<void> {
  const { call, printer, terminal, watch } = context
  let failed = false
  async function* told() {
    for await (const item of items) {
      if (watch?.isReport(item, call())) continue
      const failure = command.failure?.of(item, call())
      if (failure === undefined) yield item
      else {
        failed = true
        await printer.flush()
        terminal.stderr.write(`${failure}\n`)
      }
    }
  }
  for await (const piece of textOf(command, told(), call)) {
    const room = piece.isWellFormed() ? printer.text(piece) : printer.bytes(bytesOf(piece))
    if (room !== undefined) await room
  }
  await printer.flush()
  if (failed) throw cliErrors.E_ITEMS_FAILED(command.failure!.message)
}

async function* textOf(command: Command, items: AsyncIterable<unknown>, call: () => Call): AsyncGenerator<string> {
  const text = command.terminal ?? command.text
  if (text === undefined) for await (const item of items) yield `${JSON.stringify(item)}\n`
  else if (typeof text === 'function') for await (const item of items) yield text(item, call())
  else yield* text.lines(items, call())
}
