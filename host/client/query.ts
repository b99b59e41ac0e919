import { globalOutline } from './generated/outlines.ts'
import { type CommandOutline, kebab } from './outline.ts'

/** The query of a call. @throws TypeError for named arguments of a command whose order nobody told, and for values that are no text */
export function queryOf(
  outline: CommandOutline | undefined,
  args: readonly unknown[] | Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, unknown>>
): string {
  const query = new URLSearchParams()
  for (const value of positional(outline, args)) query.append('arg', textOf(value))
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || value === null) continue
    const name = outline?.names?.[key] ?? globalOutline.names?.[key] ?? kebab(key)
    const isDuration = outline?.durations?.includes(key) ?? false
    const append = (one: unknown) => query.append(name, isDuration && typeof one === 'bigint' ? `${one}ns` : textOf(one))
    if (Array.isArray(value)) value.forEach(append)
    else append(value)
  }
  return query.toString()
}

function positional(outline: CommandOutline | undefined, args: readonly unknown[] | Readonly<Record<string, unknown>>): unknown[] {
  if (Array.isArray(args)) return args.flat()
  const named = args as Readonly<Record<string, unknown>>
  const given = Object.keys(named).filter(name => named[name] !== undefined)
  if (given.length === 0) return []
  const order = outline?.args
  if (order === undefined && given.length > 1) throw new TypeError('the order of its arguments is not known: give them as a list')
  const unknown = order === undefined ? undefined : given.find(name => !order.includes(name))
  if (unknown !== undefined) throw new TypeError(`it has no argument '${unknown}'; it has ${order!.join(', ')}`)
  return (order ?? given)
    .map(name => named[name])
    .filter(value => value !== undefined)
    .flat()
}

function textOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'object':
      // a CID, a multiaddr, a peer ID; but neither a plain object nor bytes, which nobody means as text
      if (value !== null && value.toString !== Object.prototype.toString && !ArrayBuffer.isView(value)) return String(value)
  }
  throw new TypeError(`${value === null ? 'null' : typeof value} is no value of an argument or option`)
}
