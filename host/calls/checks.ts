import { hostErrors } from '../errors.ts'
import type { CallableCommand } from './table.ts'

/**
 * Holds one object of an answer against its command's schema.
 *
 * @throws E_REPLY_SHAPE
 */
export function check({ command, plugin }: CallableCommand, kind: 'value' | 'items', item: unknown): void {
  const { reply } = command
  const schema = 'schema' in reply ? reply.schema : reply.kind === 'either' ? reply[kind] : undefined
  const result = schema?.safeParse(item)
  if (result === undefined || result.success) return
  const issues = result.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`).join('; ')
  throw hostErrors.E_REPLY_SHAPE(command.path, plugin, issues)
}

/** The same items, each held against its command's schema. */
export async function* checked(entry: CallableCommand, items: AsyncIterable<unknown> | Iterable<unknown>): AsyncIterable<unknown> {
  for await (const item of items) {
    check(entry, 'items', item)
    yield item
  }
}
