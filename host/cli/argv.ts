import { readFileSync } from 'node:fs'
import { decodeUtf8 } from '../../core/go/utf8.ts'

/**
 * The words of a command line. Node.js has U+FFFD for what is no UTF-8 in them; where the system tells the bytes (Linux), they are kept as
 * `decodeUtf8` does.
 */
export function commandWords(argv: readonly string[], readBytes = () => readFileSync('/proc/self/cmdline')): readonly string[] {
  if (!argv.some(word => word.includes('\ufffd'))) return argv
  try {
    const words = decodeUtf8(readBytes()).split('\0').slice(0, -1)
    return words.length < argv.length ? argv : words.slice(words.length - argv.length)
  } catch {
    return argv
  }
}
