import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

export const denylistSettings = z.strictObject({
  files: z
    .array(z.string().refine(isAbsolute, 'an absolute path'))
    .default([])
    .describe(
      'Denylists: files, and folders of which all `*.deny` count, in the order of their names. Later rules come before earlier ones.'
    ),
  calls: z
    .boolean()
    .default(false)
    .describe('Whether what calls read is held to them too (`cat`, `get`, `pin/add`), and not what the gateway serves alone.'),
  maxRules: z
    .int('a whole number, 1 or more')
    .min(1, 'a whole number, 1 or more')
    .default(5_000_000)
    .describe('Rules of all files together, each about 40 bytes of memory. More are refused.')
})

export type DenylistSettings = z.output<typeof denylistSettings>

export const DenylistSettings: Token<DenylistSettings> = settings<typeof denylistSettings>()
