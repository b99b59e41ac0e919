import type { CID } from 'multiformats/cid'
import { decodeCid } from '../../../cid/parse.ts'
import { dagErrors } from '../../errors.ts'
import { isLink, kindOf, type Node } from '../../model.ts'
import { type Along, Keys } from '../along.ts'
import { BREAK, CborTokens, INDEFINITE, OpenContainer } from './tokens.ts'

/** The most memory that a block may be decoded into (go-ipld-prime 0.21, dagcbor): about bytes, with a few more for each entry. */
export const BUDGET = 10 * 1024 * 1024
const MAP_ENTRY = 8
const LIST_ENTRY = 4
const LINK_TAG = 42

interface CborDecodeOptions {
  /** Whether tag 42 is a link; otherwise it is refused like any other. */
  links: boolean
  /** Whether what the value would lose is refused: tags on anything but bytes, and `undefined`. */
  exact?: boolean
  /** Where the value is looked into: lists and maps beside that way are empty. */
  along?: Along | undefined
}

/**
 * Reads one CBOR value as the reference does: leniently (integers of any width, keys in any order, indefinite lengths, `undefined` as
 * null, tags on anything but bytes ignored, unless it is `exact`), within a budget, without recursion. Bytes are views of the input.
 *
 * @throws E_UNEXPECTED_EOF, E_EOF (the input ended where an element or a key should have come), E_CBOR_…, E_MAP_KEY_REPEATED,
 * E_MAP_KEY_KIND, E_CID_INVALID
 */
export function decodeCbor(bytes: Uint8Array, options: CborDecodeOptions): Node {
  return new CborReader(bytes, options).read()
}

/**
 * The links of a value in its order, each as often as it occurs, without the value: a block of 1 MiB may hold a million lists. It refuses
 * what {@link decodeCbor} refuses.
 */
export function linksOfCbor(bytes: Uint8Array, options: CborDecodeOptions): CID[] {
  return new CborReader(bytes, options).links()
}

class CborReader {
  readonly #tokens: CborTokens
  readonly #links: boolean
  readonly #along: Along | undefined
  #budget = BUDGET

  constructor(bytes: Uint8Array, { links, exact = false, along }: CborDecodeOptions) {
    this.#tokens = new CborTokens(bytes, exact)
    this.#links = links
    this.#along = along
  }

  read(): Node {
    const stack: OpenContainer[] = []
    let top: OpenContainer | undefined
    for (;;) {
      let value: Node | OpenContainer
      if (top === undefined) value = this.#value(this.#tokens.byte())
      else if (this.#isOver(top)) {
        value = top.finish()
        stack.pop()
        top = stack.at(-1)
      } else if (Array.isArray(top.value)) value = this.#element()
      else {
        top.key = this.#key(top.value)
        value = this.#entry(top.left)
      }
      if (value instanceof OpenContainer && this.#along?.leads(stack.length, top?.place) === false) value = this.#pass(value)
      if (value instanceof OpenContainer) {
        stack.push(value)
        top = value
      } else if (top !== undefined) top.put(value)
      else if (!this.#tokens.done) throw dagErrors.E_CBOR_TRAILING()
      else return value
    }
  }

  links(): CID[] {
    const links: CID[] = []
    const value = this.#value(this.#tokens.byte())
    if (value instanceof OpenContainer) this.#pass(value, links)
    else if (isLink(value)) links.push(value)
    if (!this.#tokens.done) throw dagErrors.E_CBOR_TRAILING()
    return links
  }

  /** Reads a list or map to its end, and keeps its links alone. @returns an empty one */
  #pass(container: OpenContainer, links?: CID[]): Node {
    // of each list and map that is open, the entries still to come, and the keys of a map
    const lefts: number[] = []
    const keys: Array<Keys | undefined> = []
    let value: Node | OpenContainer = container
    for (;;) {
      if (value instanceof OpenContainer) {
        lefts.push(value.left)
        keys.push(Array.isArray(value.value) ? undefined : new Keys())
      } else if (links !== undefined && isLink(value)) links.push(value)
      let top = lefts.length - 1
      while (top >= 0 && (lefts[top] === INDEFINITE ? this.#tokens.takeBreak() : lefts[top]!-- === 0)) {
        lefts.pop()
        keys.pop()
        top--
      }
      if (top < 0) return container.finish()
      const others = keys[top]
      if (others === undefined) value = this.#element()
      else {
        others.add(this.#key(others))
        value = this.#entry(lefts[top]!)
      }
    }
  }

  /** An indefinite list or map ends with a break where an element or a key could stand. */
  #isOver(container: OpenContainer): boolean {
    if (container.left !== INDEFINITE) return container.left-- === 0
    return this.#tokens.takeBreak()
  }

  #element(): Node | OpenContainer {
    this.#tokens.promised = false
    const token = this.#tokens.read(this.#tokens.byte())
    this.#spend(LIST_ENTRY)
    return this.#settled(token)
  }

  /** @param others - the keys before it */
  #key(others: { has(key: string): boolean }): string {
    this.#tokens.promised = false
    const key = this.#tokens.read(this.#tokens.byte())
    if (typeof key !== 'string') throw dagErrors.E_MAP_KEY_KIND(tokenName(key))
    this.#spend(this.#tokens.size + MAP_ENTRY)
    if (others.has(key)) throw dagErrors.E_MAP_KEY_REPEATED(key)
    return key
  }

  /** The value of an entry whose key was read. */
  #entry(left: number): Node | OpenContainer {
    this.#tokens.promised = true
    const first = this.#tokens.byte()
    if (first === BREAK && left === INDEFINITE) throw dagErrors.E_CBOR_BREAK()
    return this.#value(first)
  }

  #value(first: number): Node | OpenContainer {
    return this.#settled(this.#tokens.read(first))
  }

  /** Charges a token to the budget and turns tagged bytes into a link. */
  #settled(token: Node | OpenContainer): Node | OpenContainer {
    if (token instanceof OpenContainer) {
      if (token.left > this.#budget) throw dagErrors.E_CBOR_BUDGET()
      return token
    }
    if (token === null) return token
    this.#spend(this.#tokens.size)
    return token instanceof Uint8Array && this.#tokens.tag !== undefined ? this.#link(token, this.#tokens.tag) : token
  }

  #spend(cost: number): void {
    this.#budget -= cost
    if (this.#budget < 0) throw dagErrors.E_CBOR_BUDGET()
  }

  #link(bytes: Uint8Array, tag: number | bigint): Node {
    if (tag !== LINK_TAG || !this.#links) throw dagErrors.E_CBOR_TAG(tag)
    if (bytes[0] !== 0) throw dagErrors.E_CBOR_LINK()
    return decodeCid(bytes.slice(1))
  }
}

/** A token, as refmt has it. */
function tokenName(token: Node | OpenContainer): string {
  if (token instanceof OpenContainer) return Array.isArray(token.value) ? 'array open' : 'map open'
  return typeof token === 'bigint' && token >= 0n ? 'uint' : kindOf(token)
}
