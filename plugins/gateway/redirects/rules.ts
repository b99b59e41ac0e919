import { goQuote } from '../../../core/go/index.ts'
import { gatewayErrors } from '../errors.ts'

/** A line of a site's `_redirects` (https://specs.ipfs.tech/http-gateways/web-redirects-file/). */
export interface Rule {
  /** Segments of the path that it is for: words, and names of parameters behind a colon. */
  readonly from: readonly string[]
  /** Whether it is for all that lies below. */
  readonly isPrefix: boolean
  readonly to: string
  readonly status: number
}

export const MOST_BYTES = 65_536

/** Longest target once its placeholders are filled in, in characters: clients and proxies take no longer field. */
export const MOST_TARGET = 16_384

const STATUSES = new Set([200, 301, 302, 303, 307, 308, 404, 410, 451])
const SCHEME = /^(?:https?|ipfs|ipns):\/\/[^/?#]/i

/** @throws E_REDIRECTS_RULE */
export function parseRules(text: string): Rule[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(parseRule)
}

function parseRule(line: string): Rule {
  const [from = '', to, status, ...more] = line.split(/\s+/)
  if (to === undefined) throw wrong("missing 'to' path")
  if (more.length > 0) throw wrong("must match format 'from to [status]'")
  return { ...parseFrom(from), to: parseTo(to), status: status === undefined ? 301 : parseStatus(status) }
}

function parseFrom(from: string): Pick<Rule, 'from' | 'isPrefix'> {
  const refuse = (why: string) => wrong(`parsing 'from': ${why}`)
  if (!from.startsWith('/')) throw refuse("path must begin with '/'")
  const stars = from.split('*').length - 1
  if (stars > 1) throw refuse('path can have at most one asterisk')
  if (stars === 1 && !from.endsWith('*')) throw refuse('path must end with asterisk')
  return { from: segmentsOf(stars === 1 ? from.slice(0, -1) : from), isPrefix: stars === 1 }
}

function parseTo(to: string): string {
  if (!to.startsWith('/') && !SCHEME.test(to)) throw wrong("parsing 'to': invalid URL scheme")
  return to
}

function parseStatus(text: string): number {
  const refuse = (why: string) => wrong(`parsing status ${goQuote(text)}: ${why}`)
  if (text.endsWith('!')) throw refuse('forced redirects (or "shadowing") are not supported')
  if (!/^[+-]?\d{1,9}$/.test(text)) throw refuse(`strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`)
  if (!STATUSES.has(Number(text))) throw refuse(`status code ${Number(text)} is not supported`)
  return Number(text)
}

const wrong = (why: string) => gatewayErrors.E_REDIRECTS_RULE(why)

/** Segments of a path; a slash at its end does not count. */
export function segmentsOf(path: string): string[] {
  return path.split('/').filter(segment => segment !== '')
}

/**
 * Where the first rule that fits leads: a URL, or of a rule that another file stands for, its decoded path.
 *
 * @param segments - of the path that is not there, decoded
 * @throws E_REDIRECTS_TARGET
 */
export function findRule(rules: readonly Rule[], segments: readonly string[]): { rule: Rule; to: string } | undefined {
  for (const rule of rules) {
    const values = valuesOf(rule, segments)
    if (values !== undefined)
      return {
        rule,
        to: rule.status > 200 && rule.status < 400 ? filledUrl(rule.to, values) : filled(rule.to.split(/[?#]/, 1)[0]!, values)
      }
  }
  return undefined
}

function valuesOf({ from, isPrefix }: Rule, segments: readonly string[]): ReadonlyMap<string, string> | undefined {
  if (isPrefix ? segments.length < from.length : segments.length !== from.length) return undefined
  const values = new Map<string, string>()
  for (const [i, word] of from.entries()) {
    const segment = segments[i]!
    if (word.startsWith(':')) values.set(word.slice(1), segment)
    else if (word !== segment) return undefined
  }
  // `/*` also stands for the root, `/a/*` for what is below it
  if (isPrefix && from.length > 0 && segments.length === from.length) return undefined
  if (isPrefix) values.set('splat', segments.slice(from.length).join('/'))
  return values
}

const PLACE = /:([A-Za-z_]\w*)/g

/** A target with its placeholders filled in, so that nothing in a value ends the part of the URL that it stands in. */
function filledUrl(to: string, values: ReadonlyMap<string, string>): string {
  const end = to.search(/[?#]/)
  return filled(to, values, (value, at) =>
    end < 0 || at < end ? value.replace(/[%?#]/g, encodeURIComponent) : value.replace(/[%?#&+;=]/g, encodeURIComponent)
  )
}

/** A target with its placeholders filled in: the longest name that a rule gives a value stands for it. */
function filled(to: string, values: ReadonlyMap<string, string>, write: (value: string, at: number) => string = value => value): string {
  const start = /^[a-z]+:\/\//i.exec(to)?.[0] ?? ''
  let length = 0
  const fill = (whole: string, name: string, at: number) => {
    const found = values.get(name)
    const value = found === undefined ? whole : write(found, start.length + at)
    length += value.length
    // told before it is built: a short rule may name a long value thousands of times
    if (length > MOST_TARGET) throw gatewayErrors.E_REDIRECTS_TARGET(MOST_TARGET)
    return value
  }
  const all = start + to.slice(start.length).replace(PLACE, fill)
  if (all.length > MOST_TARGET) throw gatewayErrors.E_REDIRECTS_TARGET(MOST_TARGET)
  return all
}
