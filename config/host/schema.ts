import { z } from 'zod'
import { setting } from '../../core/contract/setting.ts'
import { rpcSettings } from './rpc.ts'

const WORDS: Readonly<Record<string, boolean>> = { on: true, off: false, yes: true, no: false, true: true, false: false }

/** YAML of today reads `on` and `off` as words. */
const toggle = z.preprocess(value => (typeof value === 'string' ? (WORDS[value.toLowerCase()] ?? value) : value), z.boolean())

const toggleOrSettings = z.union([toggle, z.record(z.string(), z.unknown())], 'on, off, or a block of settings')
const toggleOrFrom = z.union([toggle, z.strictObject({ from: z.string() })], 'on, off, or { from: PLUGIN }')
const PROVIDER = 'the name of a plugin, or a list of names, the outermost first'
const provider = z.union([z.string().min(1, PROVIDER), z.array(z.string().min(1, PROVIDER), PROVIDER).min(1, PROVIDER)], PROVIDER)
const onFailure = z.enum(['abort', 'continue'], 'abort or continue')

/** The form of a `holdfast.config.*` file. */
export const hostSchema = z.strictObject(
  {
    repo: z
      .string('a path')
      .min(1, 'a path')
      .optional()
      .describe("The repo's folder, from the folder of this file. A --repo flag, HOLDFAST_PATH and IPFS_PATH go before it."),
    plugins: z
      .record(z.string(), toggleOrSettings, 'a block of plugins: { NAME: on }')
      .optional()
      .describe(
        'Plugins by name, status (newer, experimental, deprecated, removed), file or package: on, off, or the settings of one that is on.'
      ),
    commands: z
      .record(z.string(), toggleOrFrom, "a block of commands: { 'pin/add': off }")
      .optional()
      .describe("Commands by path or pattern ('object/**'): on, off, or the plugin that it comes from when several declare it."),
    services: z
      .record(z.string(), provider, 'a block of services: { blockstore: PLUGIN }')
      .optional()
      .describe(
        'Services by name: the plugin that provides it when several do; or a list of plugins, each of which wraps the one behind it.'
      ),
    onFailure: z
      .union([onFailure, z.record(z.string(), onFailure)], 'abort, continue, or one of them for each plugin and for default')
      .optional()
      .describe(
        'What a plugin that cannot be loaded or started means for the host: abort (the default), or continue without it. Where abort stands here, it also stops a node when such a plugin throws where nobody catches.'
      ),
    calls: z
      .strictObject(
        {
          finished: z
            .int('a whole number, 0 or more')
            .min(0, 'a whole number, 0 or more')
            .optional()
            .describe('Number of finished calls that diag/cmds can show at most; 1024 where nothing is said.'),
          blockedMs: setting
            .duration()
            .describe(
              'How long the event loop may be blocked before the log tells which plugin and command did it; 1s where nothing is said. 0: never.'
            )
        },
        'a block of settings: { finished: NUMBER, blockedMs: DURATION }'
      )
      .optional()
      .describe('Records of calls and warnings about them.'),
    rpc: rpcSettings.optional().describe('The RPC listener.'),
    gateway: z.record(z.string(), z.unknown(), 'a block of settings').optional().describe('Reserved for the gateway listener.')
  },
  'a block of settings'
)

export type HostConfig = z.output<typeof hostSchema>
