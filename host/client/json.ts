/** A run of digits that a JavaScript number may not hold exactly. */
const LARGE = /\d{16}/

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

/** Parses JSON; a whole number that a JavaScript number does not hold exactly becomes a `bigint`. */
function parseJson(text: string): unknown {
  return LARGE.test(text) ? JSON.parse(text, exact as Parameters<typeof JSON.parse>[1]) : JSON.parse(text)
}

const exact: Reviver = (_, value, context) => {
  const isLarge = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  return isLarge && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context!.source!) : value
}

/** A line that is no JSON. */
export class LineError extends Error {
  override readonly name = 'LineError'
  /** The line, cut at 80 characters. */
  readonly line: string

  constructor(line: string, cause: unknown) {
    super('a line is no JSON', { cause })
    this.line = line.length > 80 ? `${line.slice(0, 80)}…` : line
  }
}

/** The values of newline-delimited JSON as they come. @throws LineError */
export async function* parseLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const utf8 = new TextDecoder()
  let held: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...more] = utf8.decode(chunk, { stream: true }).split('\n')
    held.push(first)
    for (const next of more) {
      const line = held.join('')
      held = [next]
      if (line.trim() !== '') yield parseLine(line)
    }
  }
  held.push(utf8.decode())
  const line = held.join('')
  if (line.trim() !== '') yield parseLine(line)
}

/** The value of a text that has one. @throws LineError */
export function parseLine(line: string): unknown {
  try {
    return parseJson(line)
  } catch (error) {
    throw new LineError(line, error)
  }
}
