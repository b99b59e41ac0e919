import { z } from 'zod'
import { setting, settings, type Token } from '../../core/index.ts'

export const filestoreSettings = z.strictObject({
  roots: z
    .array(z.string())
    .default([])
    .describe('Folders whose files may be referred to, absolute paths. None: the folder that the repo lies in, as in Kubo.'),
  hosts: z
    .array(z.string())
    .default([])
    .describe('Hosts whose URLs may be referred to: names, `*.example.org` for all below one, `*` for any. None: no URLs.'),
  privateAddresses: z
    .boolean()
    .default(false)
    .describe(
      'Whether these hosts may have addresses of this machine, of its networks and of private ones, which only this node can reach for a caller.'
    ),
  silenceMs: setting.duration('30s', { min: '1ms' }).describe('How long nothing may come from a URL.'),
  maxSorted: z.int().min(1).default(1_000_000).describe('Most references that are sorted by file, for which all are held in memory.')
})

export type FilestoreSettings = z.output<typeof filestoreSettings>

export const FilestoreSettings: Token<FilestoreSettings> = settings<typeof filestoreSettings>()
