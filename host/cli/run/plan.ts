import { Binding } from '../../../core/binding/binding.ts'
import { messageOf } from '../../../core/errors.ts'
import { parseDuration } from '../../../core/go/duration.ts'
import type { Command } from '../../../core/index.ts'
import { cliErrors } from '../errors.ts'
import type { Invocation } from '../line/invocation.ts'
import type { GlobalValues } from '../line/options.ts'
import type { Line } from '../line/parse.ts'
import { type Uploaded, uploadOf } from '../upload/index.ts'
import type { Wanted } from './answer.ts'
import { carriesCalls } from './carries-calls.ts'

const ENCODINGS: readonly string[] = ['text', 'json', 'xml', 'textnl']

/** Everything that is known of a call before anything runs. */
export interface Plan extends Invocation, Uploaded {
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
export async function prepare(command: Command, invocation: Invocation): Promise<Plan> {
  const { line, globals } = invocation
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
  const uploaded = await uploadOf(command, binding.args, invocation)
  if (uploaded.stdin === undefined) binding.args.check(uploaded.words)
  // a text of its own is the node's to write, so that it is its text to the byte
  const hasText = command.terminal === undefined && command.text !== undefined
  const watched = encoding === 'text' && isWatched(command, uploaded, invocation)
  // a terminal gets the text of items whose names are escaped
  const byNode = hasText && !watched && !invocation.terminal.stdout.isTTY
  const wanted = encoding !== 'text' ? (encoding as Wanted) : byNode ? 'text' : 'items'
  return { ...invocation, ...uploaded, words: binding.args.sent(uploaded.words), command, binding, wanted, watched }
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

function isWatched(command: Command, { upload }: Uploaded, { line, terminal }: Invocation): boolean {
  if (!terminal.stderr.isTTY || line.pairs.some(([name, value]) => name === 'progress' && value === 'false')) return false
  const octets = command.reply.kind === 'bytes' && (command.saves !== undefined || !terminal.stdout.isTTY)
  return command.progress !== undefined || upload !== undefined || octets
}
