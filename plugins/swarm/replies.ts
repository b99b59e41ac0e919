import { z } from 'zod'
import { value } from '../../core/index.ts'

/** A list of texts; `null` for none. */
const strings = z.object({ Strings: z.array(z.string()).nullable() })

/** The answer that commands with a list of texts declare. */
export const stringList = {
  reply: value(strings),
  xml: 'stringList',
  text: ({ Strings }: z.input<typeof strings>): string => (Strings ?? []).map(line => `${line}\n`).join('')
}

export const orNull = (texts: readonly string[]): string[] | null => (texts.length > 0 ? [...texts] : null)

/** The outcome for one peer. */
export const peeringStatus = z.object({ ID: z.string(), Status: z.string() })
