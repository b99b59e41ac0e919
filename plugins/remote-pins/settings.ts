import { z } from 'zod'
import { setting, settings, type Token } from '../../core/index.ts'

const time = (usual: string, about: string) => setting.duration(usual, { min: '1ms', max: '24h' }).describe(`${about}.`)

export const remotePinSettings = z.strictObject({
  answerTimeout: time('1m', 'How long a pinning service may take for an answer, its last byte included'),
  maxAnswer: z.int().min(1024).default(4_194_304).describe('Most bytes of an answer of a pinning service.'),
  pollInterval: time('500ms', 'How long `pin remote add` waits before it asks again whether the service has pinned'),
  delegateTimeout: time('10s', 'How long connecting to the peers of a service may take, before the pinning goes on without'),
  policyInterval: time('30s', 'How often the root of the mutable tree is compared with what services have (`Policies.MFS`)'),
  maxServices: z.int().min(1).default(1000).describe('Most pinning services, which all stand in the node configuration.'),
  maxRemoved: z.int().min(1).default(100_000).describe('Most pins that one `pin remote rm --force` removes.')
})

export type RemotePinSettings = z.output<typeof remotePinSettings>

export const RemotePinSettings: Token<RemotePinSettings> = settings<typeof remotePinSettings>()
