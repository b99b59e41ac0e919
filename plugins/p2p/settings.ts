import { z } from 'zod'
import { setting, settings, type Token } from '../../core/index.ts'

const time = (usual: string, about: string) => setting.duration(usual, { min: '1ms', max: '1h' }).describe(`${about}.`)

export const p2pSettings = z.strictObject({
  maxServices: z.int().min(1).max(65_536).default(1024).describe('Services that are offered to peers or forwarded from them at a time.'),
  maxStreams: z
    .int()
    .min(1)
    .max(65_536)
    .default(2048)
    .describe(
      'Connections of all these services together at a time, seven eighths of them of one peer that comes; more are closed at once.'
    ),
  dialTimeout: time('30s', 'How long a stream to a peer, or a connection to a service of this machine, may take to open'),
  halfOpenTimeout: time('5m', 'How long a connection may be silent once one of its sides has ended; then it is torn'),
  resolveTimeout: time('10s', 'How long the look-up of a peer by a name of the domain name system may take')
})

export type P2pSettings = z.output<typeof p2pSettings>
export const P2pSettings: Token<P2pSettings> = settings<typeof p2pSettings>()
