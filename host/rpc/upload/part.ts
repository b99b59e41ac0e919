import { cleanPath } from '../../../core/go/path.ts'
import { queryUnescape } from '../../../core/go/query.ts'
import { fromByteString } from '../../../core/go/utf8.ts'
import type { BodyPart, BytesOptions } from '../../../core/index.ts'
import type { HeaderFields } from './header.ts'
import { parseMediaType } from './media-type.ts'
import { partMetadata } from './metadata.ts'
import { quotedPrintable } from './quoted-printable.ts'

/** The bytes of a part as they were sent. @param lent - as of {@link BytesOptions} */
type Data = (lent: boolean) => AsyncIterable<Uint8Array>

/**
 * One part of an upload, as its header describes it.
 *
 * @param all - the bytes as they were sent, where all of them are there
 * @returns undefined for a part without a name of any kind
 * @throws E_MIME_… for a type that cannot be read, E_URL_ESCAPE
 */
export function partOf(header: HeaderFields, data: Data, all?: Uint8Array): BodyPart | undefined {
  const path = partPath(header)
  if (path === undefined) return undefined
  const kind = partKind(header['content-type'])
  const isQuoted = header['content-transfer-encoding']?.toLowerCase() === 'quoted-printable'
  let read = false
  return {
    path,
    kind,
    headers: header,
    absPath: absPath(header),
    metadata: partMetadata(header),
    whole: kind === 'directory' || isQuoted ? undefined : all,
    bytes: ({ lent = false }: BytesOptions = {}) => {
      if (kind === 'directory' || read) return nothing()
      read = true
      return isQuoted ? quotedPrintable(data(false)) : data(lent)
    }
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Where a part lies within the upload, by boxo/files (multipartfile.go); undefined where it has no disposition that can be read. */
function partPath(header: HeaderFields): string | undefined {
  try {
    const name = parseMediaType(header['content-disposition'] ?? '').parameters.get('filename') ?? ''
    return cleanPath(`/${unescaped(fromByteString(name))}`)
  } catch {
    return undefined
  }
}

/** A name that is not encoded is taken as it is. */
function unescaped(name: string): string {
  try {
    return queryUnescape(name)
  } catch {
    return name
  }
}

/** @throws E_MIME_… for a type that cannot be read */
function partKind(contentType: string | undefined): BodyPart['kind'] {
  if (contentType === undefined || contentType === '') return 'file'
  switch (parseMediaType(contentType).type) {
    case 'multipart/form-data':
    case 'application/x-directory':
      return 'directory'
    case 'application/symlink':
      return 'symlink'
    default:
      return 'file'
  }
}

/** @throws E_URL_ESCAPE */
function absPath(header: HeaderFields): string | undefined {
  const encoded = header['abspath-encoded']
  if (encoded !== undefined && encoded !== '') return queryUnescape(fromByteString(encoded))
  const plain = header['abspath']
  return plain === undefined ? undefined : fromByteString(plain)
}
