type Compare<T> = (a: T, b: T) => -1 | 0 | 1

/** The part of a query beyond its prefix, which is the store's part: a store seeks, it does not filter. */
interface Selection<T> {
  filters?: Array<(item: T) => boolean>
  /** Applied in turn: a later one decides where an earlier one says equal. */
  orders?: Array<Compare<T>>
  offset?: number
  limit?: number
}

/**
 * Filters, orders, skips and limits what a store's iterator gives. Streams; only `orders` needs all items at once. The source is ended as
 * soon as the limit is reached or the consumer stops.
 */
export async function* select<T>(
  source: AsyncIterable<T>,
  { filters = [], orders = [], offset = 0, limit = Infinity }: Selection<T>
): AsyncGenerator<T> {
  let skip = offset
  let left = limit
  if (left <= 0) return
  const wanted = filters.length > 0 ? filtered(source, filters) : source
  for await (const item of orders.length > 0 ? sorted(wanted, orders) : wanted) {
    if (skip-- > 0) continue
    yield item
    if (--left <= 0) return
  }
}

async function* filtered<T>(source: AsyncIterable<T>, filters: ReadonlyArray<(item: T) => boolean>): AsyncGenerator<T> {
  for await (const item of source) if (filters.every(passes => passes(item))) yield item
}

async function* sorted<T>(source: AsyncIterable<T>, orders: ReadonlyArray<Compare<T>>): AsyncGenerator<T> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  yield* items.sort((a, b) => {
    for (const compare of orders) {
      const order = compare(a, b)
      if (order !== 0) return order
    }
    return 0
  })
}
