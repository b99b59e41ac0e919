import type { NameRoute, Routing } from '../../core/index.ts'

const PREFIX = Buffer.from('/ipns/')

/** The way of names' records: what no peer takes is no failure, as in the reference; it is published again in time. */
export function nameRoute(routing: Pick<Routing, 'getValue' | 'putValue'>): NameRoute {
  const keyOf = (multihash: Uint8Array) => Buffer.concat([PREFIX, multihash])
  return {
    name: 'routing',
    async publish(multihash, record, { signal }) {
      for await (const _ of routing.putValue(keyOf(multihash), record, { signal })) signal.throwIfAborted()
    },
    async *find(multihash, { signal, count }) {
      const options = count > 0 ? { signal, count } : { signal }
      for await (const event of routing.getValue(keyOf(multihash), options)) if (event.type === 'value') yield event.value
    }
  }
}
