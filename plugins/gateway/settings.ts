import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

const positive = z.int('a whole number, 1 or more').min(1, 'a whole number, 1 or more')
const whole = z.int('a whole number, 0 or more').min(0, 'a whole number, 0 or more')

export const gatewaySettingsSchema = z.strictObject({
  retrievalTimeoutMs: whole
    .default(30_000)
    .describe(
      'Time that one block may take to come, in milliseconds. Before the first byte of an answer it is 504 then. 0: without limit.'
    ),
  requestTimeoutMs: whole
    .default(3_600_000)
    .describe('Time that one request may take altogether, in milliseconds, looked at whenever a block is asked for. 0: without limit.'),
  limits: z
    .strictObject({
      requests: positive.default(768).describe('Requests that are answered at the same time; the next ones are told to come back (429).'),
      retryAfterSeconds: positive.default(60).describe('After how many seconds they are told to come back.'),
      ranges: positive.default(32).describe('Ranges of one request; the file is sent as a whole where more are asked for.'),
      previewBytes: positive.default(1_048_576).describe('Size of a block up to which a browser is shown its values.')
    })
    .prefault({})
    .describe('How much a caller may ask of the gateway.')
})

export type GatewaySettings = z.output<typeof gatewaySettingsSchema>

export const GatewaySettings: Token<GatewaySettings> = settings<typeof gatewaySettingsSchema>()
