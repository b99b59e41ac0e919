import { parseCid } from '../../core/cid/index.ts'
import { type CID, CID as Cid, hook, type Logger, messageOf, optional, Provider, type Result } from '../../core/index.ts'
import { ProvideSettings } from './settings.ts'

/** Commands whose answers name what is new, or newly kept. */
const COMMANDS: ReadonlySet<string> = new Set(['add', 'block/put', 'dag/import', 'dag/put', 'pin/add', 'pin/update'])

/** Has what a command stored or pinned provided: each CID of its answer stands in the queue before the answer says it. */
export const provideNew = hook({
  only: ({ path }, { provider, settings }) => provider !== undefined && settings.provideNew && COMMANDS.has(path),
  needs: { provider: optional(Provider), settings: ProvideSettings },
  async run({ provider }, call, next) {
    const result = await next()
    const { offline, onlyHash } = call.kind === 'call' ? (call.options as { offline?: boolean; onlyHash?: boolean }) : {}
    if (provider === undefined || offline === true || onlyHash === true) return result
    const look = (item: unknown) => queue(provider, cidsOf(item), call.log)
    if (result.kind === 'value') await look(result.value)
    return result.kind === 'stream' ? { ...result, items: looked(result.items, look) } : result
  }
})

async function queue(provider: Provider, cids: readonly CID[], log: Logger): Promise<void> {
  try {
    await provider.provide(cids)
  } catch (error) {
    log.warn(`${cids.join(', ')} will be provided with the next pass only: ${messageOf(error)}`)
  }
}

type Items = Extract<Result, { kind: 'stream' }>['items']

/** The same items, each looked at before it is handed on; ended as they are. */
function looked(items: Items, look: (item: unknown) => Promise<void>): AsyncIterable<unknown> {
  return {
    [Symbol.asyncIterator]() {
      const inner: AsyncIterator<unknown> | Iterator<unknown> =
        Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
      return {
        async next() {
          const step = await inner.next()
          if (step.done !== true) await look(step.value)
          return step
        },
        async return() {
          await inner.return?.()
          return { done: true as const, value: undefined }
        }
      }
    }
  }
}

/** The CIDs that an item of an answer names as its result: `Hash`, `Key`, `Cid`, `Pins`, `Root`. */
function cidsOf(item: unknown): CID[] {
  if (typeof item !== 'object' || item === null) return []
  const { Hash, Key, Cid: CidOfItem, Pins, Root } = item as Readonly<Record<string, unknown>>
  return [Hash, Key, CidOfItem, (Root as { Cid?: unknown } | undefined)?.Cid, ...(Array.isArray(Pins) ? Pins : [])].flatMap(read)
}

function read(value: unknown): CID[] {
  const cid = Cid.asCID(value)
  if (cid !== null) return [cid]
  const text = typeof value === 'object' && value !== null ? (value as { '/'?: unknown })['/'] : value
  if (typeof text !== 'string') return []
  try {
    return [parseCid(text)]
  } catch {
    return []
  }
}
