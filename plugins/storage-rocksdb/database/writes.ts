/** `state` is the store's own housekeeping. Their order is that of the journal's numbers for them: new ones come last. */
export const families = ['blocks', 'pins', 'names', 'data', 'state'] as const
export type Family = (typeof families)[number]

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
}
