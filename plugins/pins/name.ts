import { pinErrors } from './errors.ts'

/** Most bytes of a pin's name (Kubo 0.42). */
const MOST = 255

/** @throws E_PIN_NAME_LONG */
export function checkPinName(name: string): void {
  const size = Buffer.byteLength(name)
  if (size > MOST) throw pinErrors.E_PIN_NAME_LONG(size, MOST)
}
