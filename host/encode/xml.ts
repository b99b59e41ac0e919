import { CID } from 'multiformats/cid'
import { rpcErrors } from '../http/listener-errors.ts'
import { linkText, numberText } from './go-format.ts'
import { type AnySchema, defOf, isLink, shapeOf, unwrapped } from './schema.ts'

/** Writes a value as an element of this name. */
type ElementWriter = (name: string, value: unknown) => string

/**
 * A writer for the values of a schema as Go's `encoding/xml` puts them: an element per member, members of lists one after the other, and
 * what is left out of JSON for being empty present with its zero.
 *
 * @param name - of the outermost element; Go takes the type's
 */
export function xmlWriter(schema: AnySchema, name: string): (value: unknown) => string {
  const write = elementWriter(schema)
  return value => write(name, value)
}

function elementWriter(schema: AnySchema): ElementWriter {
  const { type, getter } = defOf(schema)
  if (type === 'lazy') return onFirstUse(() => elementWriter(getter!()))
  const { schema: inner, meta } = unwrapped(schema)
  const def = defOf(inner)
  switch (def.type) {
    case 'object':
      return isLink(inner) ? (name, value) => element(name, linkText(value)) : structWriter(inner)
    case 'array': {
      const item = elementWriter(def.element!)
      return (name, value) => (Array.isArray(value) ? value.map(one => item(name, one)).join('') : '')
    }
    case 'record':
      return () => {
        throw rpcErrors.E_XML_TYPE(meta.go ?? 'map[string]interface {}')
      }
    case 'number':
    case 'bigint':
      return (name, value) => element(name, numberText(value ?? 0))
    case 'boolean':
      return (name, value) => element(name, String(value ?? false))
    default:
      return (name, value) => element(name, textOf(value))
  }
}

/** A schema may contain itself, so it is looked into when a value is there. */
function onFirstUse(make: () => ElementWriter): ElementWriter {
  let write: ElementWriter | undefined
  return (name, value) => {
    write ??= make()
    return write(name, value)
  }
}

function structWriter(schema: AnySchema): ElementWriter {
  const members = Object.entries(shapeOf(schema)).map(([key, member]) => ({
    key,
    name: unwrapped(member).meta.xml ?? key,
    write: elementWriter(member)
  }))
  return (name, value) => {
    if (value === undefined || value === null) return ''
    const object = value as Readonly<Record<string, unknown>>
    return `<${name}>${members.map(({ key, name: of, write }) => write(of, object[key])).join('')}</${name}>`
  }
}

function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return CID.asCID(value) === null ? String(value) : linkText(value)
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;'
}

/** Text as Go's `xml.EscapeText` writes it; what XML cannot hold becomes U+FFFD. */
export function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  return text.toWellFormed().replace(/["'&<>\x00-\x1f\ufffe\uffff]/g, char => ESCAPES[char] ?? '\ufffd')
}
