/** One value of Prometheus' text. */
export interface Line {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Parsed {
  readonly types: ReadonlyMap<string, string>
  readonly helps: ReadonlyMap<string, string>
  readonly lines: readonly Line[]
  /** The value of exactly these labels. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABELS = '(?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"(?:,(?=[a-zA-Z_])|(?=\\})))*'
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABELS})\\})? (NaN|[+-]Inf|-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)$`)

/**
 * Reads Prometheus' text format 0.0.4 and holds it against its rules: each family has one HELP and one TYPE before its values and stands in
 * one piece, values are named after their family, no value comes twice, buckets rise and end with `+Inf`, which is the count.
 */
export function parsePrometheus(text: string): Parsed {
  const types = new Map<string, string>()
  const helps = new Map<string, string>()
  const lines: Line[] = []
  const seen = new Set<string>()
  if (!text.endsWith('\n')) throw new Error('the text does not end with a line end')
  let family = ''
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue
    const [, kind, of, textAfter] = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`).exec(line) ?? []
    if (kind === 'HELP') {
      if (helps.has(of!)) throw new Error(`a second HELP: ${line}`)
      helps.set(of!, textAfter!)
      family = of!
    } else if (kind === 'TYPE') {
      if (types.has(of!) || of !== family || !/^(counter|gauge|histogram|summary|untyped)$/.test(textAfter!))
        throw new Error(`not in order: ${line}`)
      types.set(of!, textAfter!)
    } else {
      const [, name, labels = '', number] = SAMPLE.exec(line) ?? []
      if (name === undefined) throw new Error(`no value: ${line}`)
      if (!belongs(name, family, types.get(family))) throw new Error(`not of ${family}: ${line}`)
      if (seen.has(`${name}{${labels}}`)) throw new Error(`twice: ${line}`)
      seen.add(`${name}{${labels}}`)
      lines.push({ name, labels: labelsOf(labels), value: numberOf(number!) })
    }
  }
  for (const [name, type] of types) {
    if (type === 'counter' && !/_total$/.test(name)) throw new Error(`a counter that does not end in _total: ${name}`)
    if (type === 'histogram') checkHistogram(name, lines)
  }
  const key = (labels: Readonly<Record<string, string>>) => JSON.stringify(Object.entries(labels).sort())
  const value = (name: string, labels = {}) => lines.find(line => line.name === name && key(line.labels) === key(labels))?.value
  return { types, helps, lines, value }
}

function belongs(name: string, family: string, type: string | undefined): boolean {
  if (type === 'histogram') return [`${family}_bucket`, `${family}_sum`, `${family}_count`].includes(name)
  if (type === 'summary') return [family, `${family}_sum`, `${family}_count`].includes(name)
  return type !== undefined && name === family
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  for (const [, name, value] of text.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g)) {
    if (Object.hasOwn(labels, name!)) throw new Error(`a label twice: ${text}`)
    labels[name!] = value!.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))
  }
  return labels
}

function numberOf(text: string): number {
  return text.endsWith('Inf') ? (text.startsWith('-') ? -1 : 1) * Number.POSITIVE_INFINITY : Number(text)
}

function checkHistogram(name: string, lines: readonly Line[]): void {
  const sets = new Map<string, Array<{ le: number; value: number }>>()
  for (const { name: of, labels, value } of lines) {
    if (of !== `${name}_bucket`) continue
    const { le, ...otherLabels } = labels
    const set = JSON.stringify(otherLabels)
    sets.set(set, [...(sets.get(set) ?? []), { le: numberOf(le!), value }])
  }
  for (const [set, buckets] of sets) {
    const rises = buckets.every((bucket, i) => i === 0 || (bucket.le > buckets[i - 1]!.le && bucket.value >= buckets[i - 1]!.value))
    const count = lines.find(line => line.name === `${name}_count` && JSON.stringify(line.labels) === set)?.value
    if (!rises || buckets.at(-1)?.le !== Number.POSITIVE_INFINITY || buckets.at(-1)?.value !== count)
      throw new Error(`wrong buckets: ${name} ${set}`)
  }
}
