import { posix } from 'node:path'
import type { Body, BodyDeclaration, BodyPart } from '../../../core/index.ts'
import { mcpErrors } from '../errors.ts'
import { FILES } from './inputs.ts'

interface HeldFile {
  readonly path: string
  readonly content: Uint8Array
}

/**
 * The upload that the files of a tool's input make.
 *
 * @param most - bytes of all of them
 * @returns undefined where none was given
 * @throws E_MCP_INPUT_TYPE, E_MCP_INPUT_MISSING, E_MCP_FILE, E_MCP_FILES_MANY, E_MCP_FILES_SIZE
 */
export function bodyOf(tool: string, declared: BodyDeclaration, given: unknown, most: number): Body | undefined {
  if (given !== undefined && !Array.isArray(given)) throw mcpErrors.E_MCP_INPUT_TYPE(tool, FILES, 'a list of files')
  const files = (given ?? []) as readonly unknown[]
  if (files.length === 0) {
    if (declared.required) throw mcpErrors.E_MCP_INPUT_MISSING(tool, FILES)
    return undefined
  }
  if (files.length > 1 && !declared.many) throw mcpErrors.E_MCP_FILES_MANY(tool)
  const held = files.map((file, at) => heldFile(tool, at, file))
  if (held.reduce((size, { content }) => size + content.length, 0) > most) throw mcpErrors.E_MCP_FILES_SIZE(tool, most)
  return parts(held)
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const MEMBERS: readonly string[] = ['path', 'text', 'base64']

function heldFile(tool: string, at: number, file: unknown): HeldFile {
  const refuse = (wanted: string) => mcpErrors.E_MCP_FILE(tool, at, wanted)
  if (typeof file !== 'object' || file === null) throw refuse('an object with path and text or base64')
  const other = Object.keys(file).find(name => !MEMBERS.includes(name))
  if (other !== undefined) throw refuse(`an object of path and text or base64, without '${other}'`)
  const { path = '', text, base64 } = file as Readonly<Record<string, unknown>>
  if (typeof path !== 'string') throw refuse('an object whose path is text')
  if ((text === undefined) === (base64 === undefined)) throw refuse('an object with either text or base64')
  const content = text ?? base64
  if (typeof content !== 'string') throw refuse('an object whose content is text')
  if (text === undefined && (content.length % 4 !== 0 || !BASE64.test(content))) throw refuse('an object whose base64 is that')
  return { path: posix.resolve('/', path), content: Buffer.from(content, text === undefined ? 'base64' : 'utf8') }
}

async function* parts(files: readonly HeldFile[]): AsyncGenerator<BodyPart> {
  for (const { path, content } of files) {
    yield {
      path,
      kind: 'file',
      headers: {},
      async *bytes() {
        yield content
      }
    }
  }
}
