import { cleanPath } from '../../core/go/path.ts'
import type { Saving } from '../../core/index.ts'

interface GetOptions {
  readonly output?: string | undefined
  readonly archive?: boolean | undefined
  readonly compress?: boolean | undefined
}

/**
 * Where a command line puts what was got: under the last name of the path, as it is resolved, unless told otherwise (Kubo 0.28, core/commands/get, which puts what
 * `CID/s/..` leads to into the folder above).
 */
export function saving(path: string, { output, archive, compress }: GetOptions): Saving {
  const to = output || cleanPath(path).split('/').at(-1) || path
  if (to === '-') return { to }
  if (!archive && !compress) return { to, unpack: 'tar', says: `Saving file(s) to ${to}\n` }
  const tar = archive && !/\.tar(\.gz)?$/.test(to) ? `${to}.tar` : to
  const file = compress && !tar.endsWith('.gz') ? `${tar}.gz` : tar
  return { to: file, says: `Saving archive to ${file}\n` }
}
