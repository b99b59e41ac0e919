import { sep } from 'node:path'
import { trimRight } from '../../../core/go/trim.ts'

/**
 * A path as file systems compare it that take names for one which differ in case or in how Unicode writes them, or that leave characters
 * out which nobody sees (APFS, HFS+, NTFS). It takes more for one than any of them does.
 */
export function foldPath(path: string): string {
  const [root = '', ...names] = path.split(sep)
  return [root.toLowerCase(), ...names.map(name => foldName(name))].join('/')
}

/** @param separator - of the system's paths: where it is Windows', dots and spaces at the end, and the name of a stream, do not count */
export function foldName(name: string, separator: string = sep): string {
  const stem = separator === '\\' ? trimRight(name.split(':', 1)[0]!, '. ') : name
  return stem
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
}

/** Whether a folded path is another one, or lies below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
