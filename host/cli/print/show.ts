import type { Call, Command } from '../../../core/index.ts'
import { type Spared, withLinesEscaped } from '../../printable.ts'
import { cliErrors } from '../errors.ts'
import type { Terminal } from '../terminal.ts'
import type { Printer } from './printer.ts'
import type { Watch } from './watch.ts'

interface ShowContext {
  readonly call: () => Call
  readonly printer: Printer
  readonly terminal: Terminal
  readonly watch: Watch | undefined
  /** The words and the values of the command line. */
  readonly said: readonly string[]
}

/**
 * Prints what a terminal shows of a command's items: its own text for terminals, else its text, else JSON, one a line.
 *
 * @throws E_ITEMS_FAILED behind the last item when one told of a failure, and what the items throw
 */
export async function show(command: Command, items: AsyncIterable<unknown>, context: ShowContext): Promise<void> {
  const { call, printer, terminal, watch } = context
  const isReport = (item: unknown) => {
    if (watch !== undefined) return watch.isReport(item, call())
    // lines that count on one line need a carriage return, which a terminal does not get from here
    return terminal.stdout.isTTY && command.progress?.of(item, call())?.only === true
  }
  let failed = false
  async function* told() {
    for await (const item of items) {
      if (isReport(item)) continue
      const failure = command.failure?.of(item, call())
      if (failure === undefined) yield item
      else {
        failed = true
        await printer.flush()
        watch?.hide()
        await terminal.stderr.line(failure)
      }
    }
  }
  for await (const piece of textOf(command, told(), context)) {
    const room = printer.text(piece)
    if (room !== undefined) await room
    printer.check()
  }
  await printer.flush()
  if (failed) throw cliErrors.E_ITEMS_FAILED(command.failure!.message)
}

async function* textOf(command: Command, items: AsyncIterable<unknown>, { call, terminal, said }: ShowContext): AsyncGenerator<string> {
  const text = command.terminal ?? command.text
  if (text === undefined) {
    for await (const item of items) yield `${jsonText(item)}\n`
    return
  }
  // line ends and tabs that the person wrote, such as those of a --format, are wanted
  const shown = terminal.stdout.isTTY ? escapedItems(items, { chars: said.join(''), members: command.escapes }) : items
  if (typeof text === 'function') for await (const item of shown) yield text(item, call())
  else yield* text.lines(shown, call())
}

/** An item as JSON, its whole numbers in full. */
function jsonText(item: unknown): string {
  return JSON.stringify(item, (_, value: unknown) => (typeof value === 'bigint' ? rawJson(String(value)) : value))
}

const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown }

async function* escapedItems(items: AsyncIterable<unknown>, spared: Spared): AsyncGenerator<unknown> {
  for await (const item of items) yield withLinesEscaped(item, spared)
}

/** Shows octets that are text. */
export async function showText(bytes: AsyncIterable<Uint8Array>, printer: Printer): Promise<void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for await (const chunk of bytes) {
    await printer.text(decoder.decode(chunk, { stream: true }))
    printer.check()
  }
  await printer.text(decoder.decode())
}
