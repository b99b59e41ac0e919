import { Binding } from '../../core/binding/binding.ts'
import { messageOf } from '../../core/errors.ts'
import { parseDuration } from '../../core/go/duration.ts'
import type { Command } from '../../core/index.ts'
import type { Wanted } from './answer.ts'
import { ask } from './ask.ts'
import { callOf } from './call-of.ts'
import { carriesCalls } from './carries-calls.ts'
import type { Directory } from './directory.ts'
import { cliErrors } from './errors.ts'
import type { GlobalValues } from './options.ts'
import type { Line } from './parse.ts'
import { Printer } from './printer.ts'
import { show, showText } from './show.ts'
import { Interrupted, type Terminal } from './terminal.ts'
import { type Uploaded, uploadOf } from './upload/index.ts'
import { Watch } from './watch.ts'

const ENCODINGS: readonly string[] = ['text', 'json', 'xml', 'textnl']

/** A command line that named a command. */
export interface Said {
  readonly line: Line
  readonly globals: GlobalValues
  readonly directory: Directory
  readonly terminal: Terminal
}

/** Everything that is known of a call before anything runs. */
export interface Plan extends Said, Uploaded {
  readonly command: Command
  readonly binding: Binding
  readonly wanted: Wanted
  /** Whether somebody sees how far it is: on a terminal, unless told otherwise. */
  readonly watched: boolean
}

/**
 * Holds the words of a command line against the command's declaration, and looks for the files they name.
 *
 * @throws what is wrong with them
 */
export async function prepare(command: Command, said: Said): Promise<Plan> {
  const { line, globals } = said
  const { words, path } = line
  const binding = new Binding(command)
  // one that is gone says so whatever follows it
  const most =
    command.status === 'removed'
      ? Number.POSITIVE_INFINITY
      : binding.args.most + (command.body === undefined ? 0 : command.body.many ? Number.POSITIVE_INFINITY : 1)
  if (words.length > most) throw cliErrors.E_WORDS_TOO_MANY(words[most]!, most)
  const encoding = globals.encoding ?? 'text'
  if (!ENCODINGS.includes(encoding)) throw cliErrors.E_ENCODING(encoding)
  if (command.local && !carriesCalls(command) && globals.api !== undefined) throw cliErrors.E_API_LOCAL(path.join(' '))
  checkOptions(line, globals)
  const uploaded = await uploadOf(command, binding.args, said)
  if (uploaded.stdin === undefined) binding.args.check(uploaded.words)
  // a text of its own is the node's to write, so that it is its text to the byte
  const ownText = command.terminal === undefined && command.text !== undefined
  const watched = encoding === 'text' && isWatched(command, uploaded, said)
  // a terminal gets the text of items whose names are escaped
  const byNode = ownText && !watched && !said.terminal.stdout.isTTY
  const wanted = encoding !== 'text' ? (encoding as Wanted) : byNode ? 'text' : 'items'
  return { ...said, ...uploaded, command, binding, wanted, watched }
}

/** @throws E_OPTION_VALUE, E_OPTION_TWICE, E_OPTION_TEXT */
function checkOptions({ table, pairs }: Line, { timeout }: GlobalValues): void {
  const given = table.gather(pairs)
  const values = table.values(given)
  try {
    table.formats(given, values)
    if (timeout !== undefined) parseDuration(timeout)
  } catch (error) {
    throw cliErrors.E_OPTION_TEXT(messageOf(error))
  }
}

/** Runs a command where its node is, and prints or stores what it answers. */
export async function run(plan: Plan): Promise<void> {
  const { command, terminal, watched } = plan
  const call = once(() => callOf(plan))
  const saving = command.saves?.(call())
  const watch = watched ? new Watch(plan) : undefined
  const printer = new Printer(terminal.stdout, () => watch?.hide())
  try {
    const { answer, close } = await ask(plan, watch?.asks(call()) ?? [], bytes => watch?.sent(bytes))
    try {
      if (answer.kind === 'items') await show(command, answer.items, { call, printer, terminal, watch, said: saidIn(plan) })
      else if (saving === undefined || saving.to === '-') {
        if (terminal.stdout.isTTY && isText(command)) await showText(answer.bytes, printer)
        else
          for await (const bytes of answer.bytes) {
            await printer.octets(bytes)
            watch?.received(bytes.length, answer.length)
          }
      } else {
        if (saving.says !== undefined) await printer.line(saving.says.replace(/\n$/, ''))
        const [{ save }, { guardOf }] = await Promise.all([import('./save/index.ts'), import('./save/guarded.ts')])
        const guard = plan.globals.allowConfig ? undefined : await guardOf(plan)
        await save(answer.bytes, saving, { cwd: terminal.cwd, onBytes: bytes => watch?.received(bytes, answer.length), guard })
      }
    } finally {
      await printer.flush()
      await close()
    }
  } catch (error) {
    // what serves until it is told to end has done its work then
    if (!carriesCalls(command) || !(terminal.interrupted instanceof Interrupted)) throw error
  } finally {
    watch?.end()
  }
}

/** Whether the octets that a node answers are text for people, and no content. */
function isText({ reply }: Command): boolean {
  return reply.kind !== 'bytes' || reply.text
}

function saidIn({ line: { words, pairs } }: Plan): string[] {
  return [...words, ...pairs.map(([, value]) => value)]
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function isWatched(command: Command, { upload }: Uploaded, { line, terminal }: Said): boolean {
  if (!terminal.stderr.isTTY || line.pairs.some(([name, value]) => name === 'progress' && value === 'false')) return false
  const octets = command.reply.kind === 'bytes' && (command.saves !== undefined || !terminal.stdout.isTTY)
  return command.progress !== undefined || upload !== undefined || octets
}
