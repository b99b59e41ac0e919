import { z } from 'zod'
import { listenerSettings, setting, settings, type Token } from '../../core/index.ts'

const positive = z.int().min(1)

export const mcpSettings = z.strictObject({
  ...listenerSettings(5005),
  access: z
    .enum(['read', 'write', 'admin'], 'read, write or admin')
    .default('read')
    .describe('The most that a command which is offered as a tool may ask for.'),
  commands: z
    .array(z.string('a pattern'), 'a list of patterns')
    .default([])
    .describe(
      'Patterns of commands: `pin/add` offers one that `access` leaves out, `!log/**` leaves out what it admits. The last that matches decides.'
    ),
  limits: z
    .strictObject({
      items: positive.default(1000).describe('Objects of an answer that flows; it ends behind them, and says so.'),
      characters: positive.default(100_000).describe('Characters of an answer in text; it ends behind them, and says so.'),
      bytes: positive.default(1_048_576).describe('Bytes of an answer of octets. One that is longer is refused.'),
      inputBytes: positive.default(8_388_608).describe('Bytes of all files that a call brings along.'),
      maxInputs: positive.default(134_217_728).describe('Bytes of all messages over HTTP together that are still coming or are worked on.'),
      sessions: positive.default(64).describe('Sessions over HTTP at the same time; the next ones are answered 503.'),
      sessionIdleMs: setting.duration('30m', { min: '1ms' }).describe('Time after which a session without a request ends.')
    })
    .prefault({})
    .describe('How much a client may ask of a node, and get.')
})

export type McpSettings = z.output<typeof mcpSettings>
export type McpLimits = McpSettings['limits']

export const McpSettings: Token<McpSettings> = settings<typeof mcpSettings>()
