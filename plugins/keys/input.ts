import { gather, type HeldInputs } from '../../core/body/index.ts'
import type { Body } from '../../core/index.ts'
import { keysErrors } from './errors.ts'

/**
 * Hands the bytes of the first file that was sent to `use`, and lets go of them behind it.
 *
 * @throws E_KEY_UPLOAD where there is none; `tooMuch` where it has more than `most` bytes; E_INPUTS_HELD
 */
export async function withFile<T>(
  body: Body,
  { inputs, most, tooMuch }: { inputs: HeldInputs; most: number; tooMuch: (most: number) => Error },
  use: (bytes: Uint8Array) => T | Promise<T>
): Promise<T> {
  const held = inputs.begin()
  try {
    for await (const part of body) {
      if (part.path === '' || part.kind !== 'file') break
      const gathered = await gather(part, most, () => tooMuch(most), held)
      try {
        return await use(gathered.bytes)
      } finally {
        gathered.bytes.fill(0)
        gathered.release()
      }
    }
    throw keysErrors.E_KEY_UPLOAD()
  } finally {
    held.release()
  }
}
