import { constants } from 'node:os'
import { hasCode } from '../../../../core/index.ts'
import { FileGone } from './file.ts'

const { errno } = constants

/** The kernel's number for an error of the tree. */
const ERRORS: ReadonlyArray<readonly [code: string, number: number]> = [
  ['E_MFS_MISSING', errno.ENOENT],
  ['E_MFS_EXISTS', errno.EEXIST],
  ['E_MFS_ENTRY_EXISTS', errno.EEXIST],
  ['E_MFS_NOT_A_FILE', errno.EISDIR],
  ['E_MFS_FILE_ON_PATH', errno.ENOTDIR],
  ['E_MFS_WAS_FILE', errno.ENOTDIR],
  ['E_MFS_NOT_DIRECTORY', errno.ENOTDIR],
  ['E_MFS_PATH_DEPTH', errno.ENAMETOOLONG],
  ['E_MFS_GAP', errno.EFBIG],
  ['E_STORAGE_FULL', errno.ENOSPC]
]

/** The number of an error of the tree or of one of its files; `EIO` for what else went wrong. */
export function numberOf(error: unknown): number {
  if (error instanceof FileGone) return errno.ENOENT
  for (const [code, number] of ERRORS) if (hasCode(error, code)) return number
  return errno.EIO
}
