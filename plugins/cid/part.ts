import { decodeMultibase } from '../../core/cid/bases.ts'
import { collect } from '../../core/cid/stream.ts'
import { type Body, type BodyPart, prefixed } from '../../core/index.ts'
import { formatErrors } from './errors.ts'

/**
 * The bytes of the first file that was sent; a symbolic link counts as its target's text.
 *
 * @throws E_MULTIBASE_FILE when there is none, or when it is or lies in a folder; what is wrong with the upload
 */
export async function firstFile(body: Body): Promise<AsyncIterable<Uint8Array>> {
  const part = await firstPart(body)
  if (part === undefined || part.path === '') throw formatErrors.E_MULTIBASE_FILE('expected a file argument')
  if (part.kind === 'directory' || part.path.lastIndexOf('/') > 0) throw formatErrors.E_MULTIBASE_FILE('file argument was nil')
  return contents(part)
}

/** Asks for one part and leaves the body open, as its bytes are still to be read. */
async function firstPart(body: Body): Promise<BodyPart | undefined> {
  try {
    const { done, value } = await body[Symbol.asyncIterator]().next()
    return done ? undefined : value
  } catch (error) {
    throw prefixed('failed to access file: ', error)
  }
}

async function* contents(part: BodyPart): AsyncGenerator<Uint8Array> {
  try {
    yield* part.bytes()
  } catch (error) {
    throw prefixed('failed to read file contents: ', error)
  }
}

/**
 * The bytes that the first file that was sent stands for, as multibase text.
 *
 * @param most - the longest text that is taken, in bytes
 * @throws E_MULTIBASE_FILE, E_MULTIBASE_INPUT, E_MULTIBASE_TEXT
 */
export async function decodeFirstFile(body: Body, most: number): Promise<Uint8Array> {
  const text = await collect(await firstFile(body), most, () => formatErrors.E_MULTIBASE_INPUT(most))
  try {
    return decodeMultibase(text).bytes
  } catch (error) {
    throw prefixed('failed to decode multibase: ', error)
  }
}
