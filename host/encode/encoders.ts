import { z } from 'zod'
import { goJsonString } from '../../core/go/json.ts'
import { type Command, type Encoding, messageOf, type NodeError, wireCodes } from '../../core/index.ts'
import { goFormatter } from './go-format.ts'
import { jsonWriter } from './json.ts'
import type { AnySchema } from './schema.ts'
import { escapeXml, xmlWriter } from './xml.ts'

const JSON_TYPE = 'application/json'
const XML_TYPE = 'application/xml'
const TEXT_TYPE = 'text/plain'

/** The encodings of one command's answers; each is put together when it is first asked for. */
export class Encoders {
  readonly #command: Command | undefined
  readonly #made = new Map<string, Encoding>()

  constructor(command: Command | undefined) {
    this.#command = command
  }

  /** @returns undefined for a name that stands for no encoding */
  get(name: string): Encoding | undefined {
    const made = this.#made.get(name) ?? this.#make(name)
    if (made !== undefined) this.#made.set(name, made)
    return made
  }

  #make(name: string): Encoding | undefined {
    const { value, item } = schemasOf(this.#command)
    switch (name) {
      case 'json':
        return {
          name,
          contentType: JSON_TYPE,
          errorType: JSON_TYPE,
          value: line(jsonWriter(value)),
          item: line(jsonWriter(item)),
          error: jsonError
        }
      case 'xml': {
        const element = this.#command?.xml ?? 'Value'
        return {
          name,
          contentType: XML_TYPE,
          errorType: XML_TYPE,
          value: xmlWriter(value, element),
          item: xmlWriter(item, element),
          error: xmlError
        }
      }
      case 'text':
        return { name, contentType: TEXT_TYPE, errorType: TEXT_TYPE, value: goFormatter(value), item: goFormatter(item), error: messageOf }
      case 'textnl':
        return {
          name,
          contentType: TEXT_TYPE,
          errorType: '',
          value: line(goFormatter(value)),
          item: line(goFormatter(item)),
          error: error => `${messageOf(error)}\n`
        }
      default:
        return undefined
    }
  }
}

/** The schemas of the command's one object and of its items. */
function schemasOf(command: Command | undefined): { value: AnySchema; item: AnySchema } {
  const reply = command?.reply
  if (reply?.kind === 'either') return { value: reply.value, item: reply.items }
  const schema = reply !== undefined && 'schema' in reply ? reply.schema : z.unknown()
  return { value: schema, item: schema }
}

function line(write: (value: unknown) => string): (value: unknown) => string {
  return value => `${write(value)}\n`
}

function jsonError(error: unknown): string {
  return `{"Message":${goJsonString(messageOf(error))},"Code":${codeOf(error)},"Type":"error"}\n`
}

function xmlError(error: unknown): string {
  return `<Error><Message>${escapeXml(messageOf(error))}</Message><Code>${codeOf(error)}</Code></Error>`
}

/** The wire's number for whatever was thrown. */
export function codeOf(error: unknown): number {
  return wireCodes[(error as Partial<NodeError>)?.wire ?? 'normal'] ?? 0
}
