import type { RpcLevel } from '../../core/index.ts'
import { pinErrors } from './errors.ts'

/** Most bytes of a pin's name (Kubo 0.42). */
const MOST = 255

/** @throws E_PIN_NAME_TEXT; E_PIN_NAME_LONG, but at level 0.28 */
export function checkPinName(name: string, level: RpcLevel): void {
  // what no text can hold would come back as another name
  if (!name.isWellFormed()) throw pinErrors.E_PIN_NAME_TEXT()
  const size = Buffer.byteLength(name)
  if (level !== '0.28' && size > MOST) throw pinErrors.E_PIN_NAME_LONG(size, MOST)
}
