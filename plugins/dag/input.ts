import { dagErrors } from '../../core/errors/dag.ts'

/**
 * All bytes of a part, in memory.
 *
 * @throws E_INPUT_TOO_LARGE
 */
export async function readAll(source: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > limit) throw dagErrors.E_INPUT_TOO_LARGE(limit)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
}
