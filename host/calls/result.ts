import type { Octets, Result } from '../../core/index.ts'
import { hostErrors } from '../errors.ts'
import type { CallableCommand } from './table.ts'

/**
 * The return of a command's `run`, as the result that its declaration promises.
 *
 * @throws E_REPLY_KIND, and what the command throws
 */
export async function resultOf({ command, plugin }: CallableCommand, returned: unknown): Promise<Result> {
  switch (command.reply.kind) {
    case 'value':
      return { kind: 'value', value: await returned }
    case 'nothing':
      await returned
      return { kind: 'nothing' }
    case 'stream': {
      const items = isIterable(returned) ? returned : await returned
      if (!isIterable(items)) throw hostErrors.E_REPLY_KIND(command.path, plugin, 'stream')
      return { kind: 'stream', items, ...(command.reply.eager ? { eager: true } : {}) }
    }
    case 'either': {
      const either = isIterable(returned) ? returned : await returned
      return isAsyncIterable(either) ? { kind: 'stream', items: either } : { kind: 'value', value: either }
    }
    case 'bytes': {
      if (isIterable(returned)) return { kind: 'bytes', bytes: returned as AsyncIterable<Uint8Array>, eager: false }
      const octets = (await returned) as Octets
      if (!isIterable(octets?.bytes)) throw hostErrors.E_REPLY_KIND(command.path, plugin, 'bytes')
      const { bytes, length, eager = true, type } = octets
      return { kind: 'bytes', bytes, length, eager, ...(type !== undefined && { http: { headers: { 'Content-Type': type } } }) }
    }
  }
}

function isIterable(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
