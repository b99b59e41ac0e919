import type { HeldInput } from '../../core/body/held.ts'
import { dagErrors } from '../../core/dag/errors.ts'

/**
 * All bytes of a part, in memory.
 *
 * @param held - the share of this call in what all hold
 * @throws E_INPUT_TOO_LARGE, E_INPUTS_HELD
 */
export async function readAll(source: AsyncIterable<Uint8Array>, limit: number, held: HeldInput): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > limit) throw dagErrors.E_INPUT_TOO_LARGE(limit)
    held.add(chunk.length)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
}
