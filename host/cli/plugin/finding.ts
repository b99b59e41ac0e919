/** Something that a host would refuse, or a caller could not use; `remedy` says what to do about it. */
export interface Finding {
  readonly what: string
  readonly remedy: string
}

export function finding(what: string, remedy: string): Finding {
  return { what, remedy }
}
