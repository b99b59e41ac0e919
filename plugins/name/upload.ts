import { gather } from '../../core/body/index.ts'
import type { Body } from '../../core/index.ts'
import { MAX_RECORD_SIZE } from '../../core/ipns/index.ts'
import { nameErrors } from './errors.ts'

/** The record that was sent: the first part. @param tooLarge - what is thrown for one that is larger than records are. @throws E_NAME_UPLOAD */
export async function recordIn(body: Body, tooLarge: () => Error): Promise<Uint8Array> {
  for await (const part of body) {
    if (part.path === '' || part.kind !== 'file') break
    const { bytes } = await gather(part, MAX_RECORD_SIZE, tooLarge, { add: () => {}, release: () => {} })
    return bytes
  }
  throw nameErrors.E_NAME_UPLOAD()
}
