import { isUtf8 } from 'node:buffer'
import type { Result } from '../../../core/index.ts'
import { mcpErrors } from '../errors.ts'

type BytesResult = Extract<Result, { kind: 'bytes' }>

interface Gathering {
  /** The subject of the answer, for messages. */
  readonly what: string
  /** The most bytes. */
  readonly most: number
  /** Whether a part can be asked for. */
  readonly ranges: boolean
  onBytes?(size: number, total: number | undefined): void
}

/**
 * The octets of an answer, all together.
 *
 * @throws E_MCP_ANSWER_SIZE as soon as there are too many, which ends the call; what the answer breaks off with
 */
export async function gathered({ bytes, length }: BytesResult, { what, most, ranges, onBytes }: Gathering): Promise<Buffer> {
  const total = length === undefined ? undefined : Number(length)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > most || (total ?? 0) > most) throw mcpErrors.E_MCP_ANSWER_SIZE(what, most, ranges)
    chunks.push(chunk)
    onBytes?.(size, total)
  }
  return Buffer.concat(chunks)
}

/** The content of a resource: text where its octets are that. */
type Contents = { readonly uri: string; readonly mimeType: string } & ({ readonly text: string } | { readonly blob: string })

export function contentsOf(uri: string, octets: Buffer): Contents {
  return isText(octets)
    ? { uri, mimeType: 'text/plain', text: octets.toString() }
    : { uri, mimeType: 'application/octet-stream', blob: octets.toString('base64') }
}

/** Whether octets are UTF-8 without what no text has. */
export function isText(octets: Buffer): boolean {
  return isUtf8(octets) && !octets.includes(0)
}
