import { z } from 'zod'
import type { HeldInputs } from '../../core/body/held.ts'
import { settings, type Token, token } from '../../core/index.ts'

const MiB = 1024 * 1024

export const olderSettings = z.strictObject({
  maxInput: z
    .int()
    .min(1)
    .default(2 * MiB + 10)
    .describe('Most bytes that `object/put`, `object/patch/append-data` and `object/patch/set-data` read for one object.'),
  maxInputs: z
    .int()
    .min(1)
    .default(256 * MiB)
    .describe('Most bytes of input that all calls of these together hold.'),
  maxEntries: z
    .int()
    .min(1)
    .default(100_000)
    .describe('Most entries of an archive for `tar/add`, and of the folders that one `file/ls` lists.'),
  dnsServers: z
    .array(z.string())
    .default([])
    .describe('Addresses of the DNS servers that `dns` asks, e.g. `192.0.2.1` or `[2001:db8::1]:53`. None: those of the system.')
})

export type OlderSettings = z.output<typeof olderSettings>

export const OlderSettings: Token<OlderSettings> = settings<typeof olderSettings>()

/** Inputs of objects that calls hold while they work. */
export const OlderInputs: Token<HeldInputs> = token<HeldInputs>('older-inputs')
