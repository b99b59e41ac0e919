/** `state` is the store's own housekeeping. Their order is that of the journal's numbers for them: new ones come last. */
export const families = ['blocks', 'pins', 'names', 'data', 'state'] as const
export type Family = (typeof families)[number]

/** Keys of the datastore below these have a family of their own; everything else lies in `data`. */
export const SPECIAL: ReadonlyArray<readonly [prefix: string, family: Family]> = [
  ['/names/', 'names'],
  ['/pins/', 'pins']
]
const SLASH = 0x2f
/** The store's own keys: these, and marks of blocks. */
const STATE: ReadonlySet<string> = new Set(['boot', 'complete', 'ending', 'format', 'id', 'journal'])
const MARK = 'u'.charCodeAt(0)

/** The family in which a key lies: no multihash begins as those of the others do. */
export function familyOf(key: Uint8Array): Family {
  const text = Buffer.from(key).toString('latin1')
  if (key[0] === SLASH) return SPECIAL.find(([prefix]) => text.startsWith(prefix))?.[1] ?? 'data'
  return key[0] === MARK || STATE.has(text) ? 'state' : 'blocks'
}

/** `value` undefined: the key goes. */
export interface Write {
  readonly family: Family
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
  /** Whether the value need not be kept at hand. */
  readonly cold?: boolean | undefined
}

export interface KeyValue {
  readonly key: Uint8Array
  /** The value; empty where values were not asked for. */
  readonly value: Uint8Array
  /** Why the value cannot be read, or with an empty key, why some keys cannot. */
  readonly damage?: unknown
}
