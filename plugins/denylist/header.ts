import { defaultLoaders } from 'cosmiconfig'
import { z } from 'zod'
import { messageOf } from '../../core/index.ts'
import { denylistErrors } from './errors.ts'

/** Bytes in which a header has to end; a list that has none in them has no header (IPIP-383). */
export const MOST_HEADER = 1 << 20

/** The fields of a header; those that are not known are for others. */
const headerSchema = z.object({
  version: z.literal(1, 'its version has to be 1').default(1),
  hints: z.record(z.string(), z.unknown()).default({})
})

export type Header = z.output<typeof headerSchema>

export const NO_HEADER: Header = headerSchema.parse({})

/** @throws E_DENYLIST_FILE */
export async function parseHeader(path: string, text: string): Promise<Header> {
  try {
    const isEmpty = text.split('\n').every(line => /^\s*(?:#|$)/.test(line))
    const loaded: unknown = isEmpty ? {} : await defaultLoaders['.yaml'](path, text)
    return headerSchema.parse(loaded ?? {})
  } catch (error) {
    const why = error instanceof z.ZodError ? error.issues[0]!.message : messageOf(error).split('\n', 1)[0]!
    throw denylistErrors.E_DENYLIST_FILE(path, `its header cannot be read: ${why}`)
  }
}
