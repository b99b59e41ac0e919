import { dagErrors } from './errors.ts'

/** Blocks up to this size can be exchanged with any peer (Kubo 0.28, core/commands/cmdutils). */
export const MAX_BLOCK = 1024 * 1024

/** @throws E_BLOCK_TOO_LARGE */
export function checkBlockSize(size: number, allowBigBlock: boolean): void {
  if (size > MAX_BLOCK && !allowBigBlock) throw dagErrors.E_BLOCK_TOO_LARGE()
}
