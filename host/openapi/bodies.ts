import { type BodyDeclaration, type Command, wireName } from '../../core/index.ts'
import type { RequestBodyObject } from './types.ts'

/** How an upload is put together; the same for every command that takes one. */
const UPLOAD = [
  'Parts are read in the order in which they come, so a folder stands before, or is named by, what is in it.',
  "The `filename` of each part's `Content-Disposition` is its path, percent-encoded (`folder%2Fa.txt`); folders on the way need no part of their own.",
  '`Content-Type: application/x-directory` makes a part an empty folder, `application/symlink` a symbolic link whose target is the body of the part; everything else is a file.',
  'An `Abspath` header names the file on the machine of the node, for references in place of copies.'
].join(' ')

/** How many parts a command takes, in a sentence. */
export function takes({ many, folders }: BodyDeclaration): string {
  return `${many ? 'Any number of parts' : 'One part'}${folders ? ', folders too' : ''}.`
}

const octets = { type: 'string', format: 'binary' }

/** The schema of the body of a request; undefined for a command that reads none. */
export function requestBody({ body, args }: Command): RequestBodyObject | undefined {
  if (body !== undefined) {
    return {
      description: `\`${body.name}\`${body.help === '' ? '' : `: ${body.help}`} ${takes(body)} ${UPLOAD}`,
      required: body.required,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: { file: { type: 'array', items: octets } },
            ...(body.required ? { required: ['file'] } : {})
          },
          encoding: { file: { contentType: 'application/octet-stream, application/x-directory, application/symlink' } }
        }
      }
    }
  }
  const last = Object.entries(args).at(-1)
  if (last === undefined || !last[1].spec.fromBody) return undefined
  const [key, { spec }] = last
  const lines = !spec.many ? 'its first line' : spec.firstLine ? 'its first line, where the query has none' : 'one value a line'
  return {
    description: `\`${wireName(key, spec)}\` may come in a file instead of the query: ${lines}.`,
    required: false,
    content: { 'multipart/form-data': { schema: { type: 'object', properties: { file: octets } } } }
  }
}
