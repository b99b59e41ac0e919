import { listIndex } from '../walk/lookup.ts'

/** The way of a path into a value: what lies beside it is read, and not kept. */
export class Along {
  readonly #segments: readonly string[]
  /** Of each segment, the place in a list that it names, once it was asked for. */
  readonly #places: number[] = []

  constructor(segments: readonly string[]) {
    this.#segments = segments
  }

  /**
   * Whether the way goes on inside a list or map.
   *
   * @param depth - lists and maps that it lies in, all of them on the way
   * @param place - its key or number in the innermost of these; undefined for the whole value
   */
  leads(depth: number, place: string | number | undefined): boolean {
    if (depth >= this.#segments.length) return false
    if (place === undefined) return true
    return typeof place === 'string' ? place === this.#segments[depth - 1] : place === this.#place(depth - 1)
  }

  #place(index: number): number {
    this.#places[index] ??= placeOf(this.#segments[index]!)
    return this.#places[index]
  }
}

function placeOf(segment: string): number {
  try {
    return Number(listIndex(segment))
  } catch {
    return -1
  }
}

/** The keys of a map that is read and not kept. */
export class Keys {
  #first: string | undefined
  #others: Set<string> | undefined

  has(key: string): boolean {
    return this.#first === key || this.#others?.has(key) === true
  }

  add(key: string): void {
    if (this.#first === undefined) this.#first = key
    else {
      this.#others ??= new Set()
      this.#others.add(key)
    }
  }
}
