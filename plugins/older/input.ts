import { gather } from '../../core/body/gather.ts'
import type { HeldInput } from '../../core/body/held.ts'
import type { Body } from '../../core/index.ts'
import { olderErrors } from './errors.ts'

/** The bytes of the first file of a body; they are of the caller until `held` is released. @throws E_FILE_EXPECTED, E_OBJECT_TOO_LONG, E_INPUTS_HELD */
export async function firstFile(body: Body, command: string, most: number, held: HeldInput): Promise<Uint8Array> {
  for await (const part of body) {
    if (part.kind !== 'file') throw olderErrors.E_FILE_EXPECTED()
    const { bytes } = await gather(part, most, () => olderErrors.E_OBJECT_TOO_LONG(command, most), held)
    return bytes
  }
  throw olderErrors.E_FILE_EXPECTED()
}
