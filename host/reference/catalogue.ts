import type { Plugin } from '../../core/index.ts'
import { tokenName } from '../../core/index.ts'

/** Most characters of a line. */
const WIDTH = 140

/** A built-in, and the folder below `plugins/` that it lies in. */
interface BuiltIn {
  readonly folder: string
  readonly plugin: Plugin
}

/** `plugins/catalogue.ts` for these built-ins: its text up to the list, which is kept, and the list anew. */
export function catalogueSource(before: string, builtIns: readonly BuiltIn[]): string {
  const head = before.slice(0, before.indexOf(LIST) + LIST.length)
  return `${head}[\n${builtIns.map(entryOf).join(',\n')}\n]\n`
}

const LIST = 'export const catalogue: readonly CatalogueEntry[] = '

function entryOf({ folder, plugin }: BuiltIn): string {
  const others = plugin.commands.filter(({ status }) => status !== plugin.status)
  const statuses = Object.fromEntries(others.map(({ path, status }) => [`'${path}'`, status]))
  const members: Array<readonly [string, unknown]> = [
    ['name', plugin.name],
    ['status', plugin.status],
    ['about', plugin.about],
    ...(plugin.offByDefault ? [['offByDefault', true] as const] : []),
    ...(plugin.online ? [['online', true] as const] : []),
    ['paths', plugin.commands.map(({ path }) => path).sort()],
    ...(Object.keys(statuses).length > 0 ? [['statuses', statuses] as const] : []),
    ['services', plugin.provides.map(({ token }) => tokenName(token)).sort()],
    ...(Object.keys(plugin.flags).length > 0 ? [['flags', plugin.flags] as const] : []),
    ...(Object.keys(plugin.nodeKeys).length > 0 ? [['nodeKeys', plugin.nodeKeys] as const] : [])
  ]
  const lines = members.map(([name, value]) => `    ${name}: ${literal(value, 4, name.length + 2)},`)
  return `  {\n${lines.join('\n')}\n    load: () => import('./${folder}/index.ts')\n  }`
}

/** A value as source, in one line where it fits. */
function literal(value: unknown, indent: number, before: number): string {
  if (typeof value === 'string') return value.includes("'") ? JSON.stringify(value) : `'${value}'`
  if (Array.isArray(value)) {
    const items = value.map(item => literal(item, indent + 2, 0))
    return within(`[${items.join(', ')}]`, indent, before) ?? `[${filled(items, indent)}]`
  }
  if (typeof value === 'object' && value !== null) {
    const items = Object.entries(value).map(([key, item]) => `${key}: ${literal(item, indent + 2, key.length + 2)}`)
    return within(`{ ${items.join(', ')} }`, indent, before) ?? `{${apart(items, indent)}}`
  }
  return String(value)
}

/** A line, where it fits. */
function within(line: string, indent: number, before: number): string | undefined {
  return indent + before + line.length + 1 <= WIDTH ? line : undefined
}

/** Items with a line for each. */
function apart(items: readonly string[], indent: number): string {
  const pad = ' '.repeat(indent + 2)
  return `\n${items.map(item => pad + item).join(',\n')}\n${' '.repeat(indent)}`
}

/** Items with as many in a line as fit. */
function filled(items: readonly string[], indent: number): string {
  const lines: string[] = []
  for (const item of items) {
    const longer = `${lines.at(-1)}, ${item}`
    if (lines.length > 0 && within(longer, indent + 2, 0) !== undefined) lines[lines.length - 1] = longer
    else lines.push(item)
  }
  return apart(lines, indent)
}
