import { z } from 'zod'
import { p, value } from '../../core/index.ts'

export interface CodeEntry {
  Code: number
  Name: string
}

export const entriesReply = value(z.array(z.object({ Code: z.int(), Name: z.string() })))

/** The declaration that lists of codes share: a line for each entry, its number in front when asked for. */
export const entryList = {
  reply: entriesReply,
  xml: 'CodeAndName',
  text: (entries: readonly CodeEntry[], { options: { numeric } }: { readonly options: { readonly numeric: boolean } }) =>
    entries.map(({ Code, Name }) => `${numeric ? `${String(Code).padStart(5)}  ` : ''}${Name}\n`).join('')
}

export const numericOption = p.bool('Show the number too, in text.').alias('n').default(false)
