import { httpErrors } from '../errors.ts'
import type { Parameters } from './path-pattern.ts'

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/
const NAME = /^(?!__proto__$)[A-Za-z_]\w*$/
const BRACKETED = /^\[([0-9a-f:.]*)\](?::\d*)?$/

/** The host of a route: a name, its first label perhaps a parameter (`:cid.ipfs.example.net`). Case does not count. */
export class HostPattern {
  readonly text: string
  /** The pattern without the name of its parameter. */
  readonly shape: string
  readonly parameter: string | undefined
  /** The text that is compared: the whole name, or what follows the first label, its dot included. */
  readonly #name: string

  /** @throws E_HOST_PATTERN */
  constructor(text: string) {
    this.text = text
    const dot = text.indexOf('.')
    this.parameter = text.startsWith(':') ? text.slice(1, dot < 0 ? undefined : dot) : undefined
    const name = this.parameter === undefined ? text : dot < 0 ? '' : text.slice(dot + 1)
    if (this.parameter !== undefined && !NAME.test(this.parameter)) throw httpErrors.E_HOST_PATTERN(text)
    if (
      !name
        .toLowerCase()
        .split('.')
        .every(label => LABEL.test(label))
    )
      throw httpErrors.E_HOST_PATTERN(text)
    this.#name = (this.parameter === undefined ? name : `.${name}`).toLowerCase()
    this.shape = this.parameter === undefined ? this.#name : `:${this.#name}`
  }

  /** @param name - a host's name in small letters, without a port */
  matches(name: string): boolean {
    if (this.parameter === undefined) return name === this.#name
    const label = name.length - this.#name.length
    return label > 0 && name.indexOf('.') === label && name.endsWith(this.#name)
  }

  /** The parameter of a name that {@link matches}. */
  values(name: string): Parameters {
    return this.parameter === undefined ? {} : { [this.parameter]: name.slice(0, name.indexOf('.')) }
  }
}

/** The name that a `Host` header carries, in small letters, without its port and brackets; empty where there is none. */
export function hostName(header: string | undefined): string {
  if (header === undefined) return ''
  const lower = header.toLowerCase()
  const name = BRACKETED.exec(lower)?.[1] ?? lower.replace(/:\d*$/, '')
  return name.endsWith('.') ? name.slice(0, -1) : name
}
