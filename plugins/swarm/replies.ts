import { z } from 'zod'

/** A list of texts; `null` for none. */
export const strings = z.object({ Strings: z.array(z.string()).nullable() })

/** Texts one a line. */
export const stringLines = ({ Strings }: z.input<typeof strings>) => (Strings ?? []).map(line => `${line}\n`).join('')

export const orNull = (texts: readonly string[]): string[] | null => (texts.length > 0 ? [...texts] : null)

/** The outcome for one peer. */
export const peeringStatus = z.object({ ID: z.string(), Status: z.string() })
