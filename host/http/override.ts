import { validateHeaderName, validateHeaderValue } from 'node:http'
import { type HttpWords, messageOf } from '../../core/index.ts'
import { hostErrors } from '../errors.ts'
import { fieldValue, type RawFields } from './fields.ts'

/** Fields that say how a message is framed, which only its sender knows. */
export const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade'
])

/** The status and header fields that a plugin gives, as they can be sent. */
interface Override {
  readonly status: number | undefined
  /** Name and value in turn. */
  readonly fields: RawFields
}

const NONE: Override = { status: undefined, fields: [] }

/**
 * The words of an answer that can be sent; others are left out.
 *
 * @param told - is told of each that is left out: E_HTTP_WORDS
 */
export function checkedOverride(words: HttpWords | undefined, told: (error: unknown) => void): Override {
  if (words === undefined) return NONE
  const { headers = {} } = words
  let { status } = words
  if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599)) {
    told(hostErrors.E_HTTP_WORDS(`the status ${status}: it is a whole number from 200 to 599`))
    status = 500
  }
  const fields: string[] = []
  for (const [name, value] of Object.entries(headers)) {
    try {
      if (FRAMING.has(name.toLowerCase())) throw new TypeError('the node itself sets it')
      validateHeaderName(name)
      validateHeaderValue(name, fieldValue(value))
      fields.push(name, fieldValue(value))
    } catch (error) {
      told(hostErrors.E_HTTP_WORDS(`the header field '${name}': ${messageOf(error)}`))
    }
  }
  return { status, fields }
}

/** `fields` with those of an answer in the place of their namesakes. */
export function overridden(fields: RawFields, overrides: RawFields): RawFields {
  if (overrides.length === 0) return fields
  const names = new Set<string>()
  for (let i = 0; i < overrides.length; i += 2) names.add(overrides[i]!.toLowerCase())
  const kept: string[] = []
  for (let i = 0; i < fields.length; i += 2) if (!names.has(fields[i]!.toLowerCase())) kept.push(fields[i]!, fields[i + 1]!)
  return [...kept, ...overrides]
}
