import type { Words } from '../../../core/index.ts'
import { mcpErrors } from '../errors.ts'
import { FILES, type Input } from './inputs.ts'

/** The members of a tool's input as a client sent them. */
export type ToolInput = Readonly<Record<string, unknown>>

/**
 * The words that stand for a tool's input, so that a call is held to what one over the RPC is.
 *
 * @throws E_MCP_INPUT_UNKNOWN, E_MCP_INPUT_MISSING, E_MCP_INPUT_TYPE, E_MCP_INPUT_GAP
 */
export function wordsOf(tool: string, inputs: readonly Input[], given: ToolInput, takesFiles: boolean): Pick<Words, 'words' | 'options'> {
  const known = [...inputs.map(({ name }) => name), ...(takesFiles ? [FILES] : [])]
  for (const name of Object.keys(given)) if (!known.includes(name)) throw mcpErrors.E_MCP_INPUT_UNKNOWN(tool, name, known)
  const words: string[] = []
  const options: Array<readonly [string, string]> = []
  let passedOver: string | undefined
  for (const input of inputs) {
    const { name, option, required } = input
    const texts = Object.hasOwn(given, name) ? textsOf(tool, input, given[name]) : []
    if (option !== undefined) options.push(...texts.map(text => [option, text] as const))
    else if (texts.length > 0) {
      if (passedOver !== undefined && !required) throw mcpErrors.E_MCP_INPUT_GAP(tool, name, passedOver)
      words.push(...texts)
    } else if (required) throw mcpErrors.E_MCP_INPUT_MISSING(tool, name)
    else passedOver ??= name
  }
  return { words, options }
}

function textsOf(tool: string, { name, spec }: Input, value: unknown): string[] {
  const reader = READERS[spec.wire]
  const values = spec.many ? value : [value]
  const texts = Array.isArray(values) ? values.map(one => reader.text(one)) : [undefined]
  if (!texts.every(text => text !== undefined))
    throw mcpErrors.E_MCP_INPUT_TYPE(tool, name, spec.many ? `a list, each of it ${reader.wanted}` : reader.wanted)
  return texts
}

interface Reader {
  readonly wanted: string
  /** undefined for what is not wanted. */
  text(value: unknown): string | undefined
}

const whole: Reader = { wanted: 'a whole number', text: value => (Number.isSafeInteger(value) ? String(value) : undefined) }
const large: Reader = {
  wanted: 'a whole number, as text where it is beyond 2^53',
  text: value => (typeof value === 'string' && /^-?\d+$/.test(value) ? value : whole.text(value))
}

const READERS: Readonly<Record<Input['spec']['wire'], Reader>> = {
  bool: { wanted: 'true or false', text: value => (typeof value === 'boolean' ? String(value) : undefined) },
  int: whole,
  uint: whole,
  int64: large,
  uint64: large,
  float64: { wanted: 'a number', text: value => (typeof value === 'number' ? String(value) : undefined) },
  string: { wanted: 'text', text: value => (typeof value === 'string' ? value : undefined) }
}
