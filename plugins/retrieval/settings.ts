import { z } from 'zod'
import { setting, settings, type Token } from '../../core/index.ts'

const time = (usual: string, about: string) => setting.duration(usual, { min: '1ms', max: '24h' }).describe(`${about}.`)
const count = (value: number, about: string) =>
  z.int('a whole number, 1 or more').min(1, 'a whole number, 1 or more').default(value).describe(about)

/** Whether a text is a URL of HTTP that says where, and nothing else: no credentials, query or fragment. */
function isBase(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === ''
}

/** Whether a text is a host, with a port or without. */
export const isHost = (text: string): boolean => !/[/\\?#@\s]/.test(text) && isBase(`https://${text}`)

/** The URL of a host, over https where it does not say how. */
export const hostUrl = (text: string): URL => new URL(text.includes('://') ? text : `https://${text}`)

export const retrievalSettings = z.strictObject({
  gateways: z
    .array(z.string().refine(isBase, 'a URL of http or https without credentials, query and fragment'))
    .default([])
    .describe('Trustless gateways that are asked for blocks which are not here: `https://gateway.example`.'),
  rasl: z
    .array(
      z.string().refine(text => isHost(text) || isBase(text), 'a host, or a URL of http or https without credentials, query and fragment')
    )
    .default([])
    .describe('Hosts that are asked for them by RASL, at `/.well-known/rasl/`: `berjon.example`, over https, or a URL.'),
  maxConcurrent: count(8, 'Most requests to one gateway at a time; one after it has failed.'),
  perMinute: count(6000, 'Requests to one gateway in a minute, on average; a sixth of them may come at once.'),
  maxBlock: z
    .int()
    .min(1024)
    .max(64 * 1024 * 1024)
    .default(2 * 1024 * 1024)
    .describe('Size of the largest block that is taken, in bytes.'),
  maxInFlight: z
    .int()
    .min(1024)
    .default(64 * 1024 * 1024)
    .describe('Bytes that answers may hold which are on their way, of all gateways together; each counts as the largest block.'),
  answerTimeout: time('10s', 'How long a gateway may take until it begins to answer'),
  blockTimeout: time('30s', 'How long it may take until the block is here as a whole'),
  nextAfter: time('1s', 'How long one gateway is waited for until the next one is asked as well'),
  headStart: setting
    .duration('100ms', { max: '1h' })
    .describe('How long peers alone are asked for a block first, where bitswap is on; not for what follows a block that a gateway gave.'),
  askAgain: time('1m', 'How often gateways are asked again for what nobody has had, where bitswap is on'),
  minBackoff: time('1s', 'How long a gateway that failed is left alone; twice as long for each further time, unless it says how long'),
  maxBackoff: time('5m', 'How long it is left alone at most, and where it sent the bytes of another block'),
  patience: time('15s', 'How long a block waits for a gateway that is left alone; where it would take longer, others are asked')
})

export type RetrievalSettings = z.output<typeof retrievalSettings>
export const RetrievalSettings: Token<RetrievalSettings> = settings<typeof retrievalSettings>()
