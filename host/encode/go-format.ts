import { CID } from 'multiformats/cid'
import { cidToString } from '../../core/cid/parse.ts'
import { formatFloat64 } from '../../core/go/number.ts'
import { membersOf, sortedByBytes } from './json.ts'
import { type AnySchema, defOf, isLink, numberType, shapeOf, unwrapped } from './schema.ts'

/** A value as Go's `%s` prints it. */
type Formatter = (value: unknown) => string

/**
 * The form of a reply in `encoding=text` when its command has no text of its own: Go's `fmt` prints a pointer to the struct,
 * `&{name %!s(int64=0)}`, as go-ipfs-cmds 0.10 does (encoding.go).
 */
export function goFormatter(schema: AnySchema): Formatter {
  const { schema: inner } = unwrapped(schema)
  const write = formatter(schema)
  return defOf(inner).type === 'object' && unwrapped(schema).meta.string === undefined ? value => `&${write(value)}` : write
}

function formatter(schema: AnySchema): Formatter {
  const { type, getter } = defOf(schema)
  if (type === 'lazy') return onFirstUse(() => formatter(getter!()))
  const whole = unwrapped(schema)
  if (whole.meta.string !== undefined) return whole.meta.string
  const { schema: inner } = whole
  const def = defOf(inner)
  switch (def.type) {
    case 'object':
      return isLink(inner) ? linkText : structFormatter(inner)
    case 'array': {
      const item = formatter(def.element!)
      return value => `[${Array.isArray(value) ? value.map(item).join(' ') : ''}]`
    }
    case 'record': {
      const item = formatter(def.valueType!)
      return value => {
        const members = membersOf((value ?? {}) as object)
        return `map[${sortedByBytes(Object.keys(members))
          .map(key => `${key}:${item(members[key])}`)
          .join(' ')}]`
      }
    }
    case 'number':
    case 'bigint': {
      const type = numberType(whole)
      return value => `%!s(${type}=${numberText(value ?? 0)})`
    }
    case 'boolean':
      return value => `%!s(bool=${value ?? false})`
    default: {
      const { go = 'int' } = whole.meta
      return value => (typeof value === 'number' || typeof value === 'bigint' ? `%!s(${go}=${numberText(value)})` : plainText(value))
    }
  }
}

/** A schema may contain itself, so it is looked into when a value is there. */
function onFirstUse(make: () => Formatter): Formatter {
  let write: Formatter | undefined
  return value => {
    write ??= make()
    return write(value)
  }
}

function structFormatter(schema: AnySchema): Formatter {
  const members = Object.entries(shapeOf(schema)).map(([key, member]) => [key, formatter(member)] as const)
  return value => `{${members.map(([key, write]) => write((value as Record<string, unknown> | null)?.[key])).join(' ')}}`
}

export function linkText(value: unknown): string {
  const cid = CID.asCID(value)
  return cid === null ? String((value as { '/'?: string } | null)?.['/'] ?? '') : cidToString(cid)
}

function plainText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return CID.asCID(value) === null ? String(value) : linkText(value)
}

export function numberText(value: unknown): string {
  return typeof value === 'number' ? formatFloat64(value) : String(value)
}
