import type { HeldInput } from '../../core/body/held.ts'
import { dagErrors } from '../../core/dag/errors.ts'
import type { BodyPart } from '../../core/index.ts'

/**
 * All bytes of a part, in memory.
 *
 * @param held - the share of this call in what all hold
 * @throws E_INPUT_TOO_LARGE, E_INPUTS_HELD
 */
export async function readAll({ whole, bytes }: Pick<BodyPart, 'whole' | 'bytes'>, limit: number, held: HeldInput): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  const take = (chunk: Uint8Array) => {
    size += chunk.length
    if (size > limit) throw dagErrors.E_INPUT_TOO_LARGE(limit)
    held.add(chunk.length)
    chunks.push(chunk)
  }
  if (whole !== undefined) take(whole)
  else for await (const chunk of bytes()) take(chunk)
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
}
