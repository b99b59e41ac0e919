/** The library's messages of the last seconds, for peers that missed them: its members that are used here. */
export interface MessageCache {
  readonly msgs: ReadonlyMap<string, unknown>
  put(id: { readonly msgIdStr: string }, message: { readonly data?: Uint8Array }, validated?: boolean): boolean
  remove(id: string): unknown
  shift(): void
}

/** The cost of a message besides its data, in bytes. */
const OVERHEAD = 1024

/** Bounds the bytes of messages that are kept, which the library bounds by time alone: beyond, the oldest are given up. */
export function limitHistory(cache: MessageCache, most: number): void {
  /** The bytes of each, the oldest first. */
  const sizes = new Map<string, number>()
  let total = 0
  const [put, shift] = [cache.put.bind(cache), cache.shift.bind(cache)]
  const forget = (id: string) => {
    total -= sizes.get(id) ?? 0
    sizes.delete(id)
  }
  cache.put = (id, message, validated) => {
    if (!put(id, message, validated)) return false
    const size = (message.data?.length ?? 0) + OVERHEAD
    sizes.set(id.msgIdStr, size)
    total += size
    for (const oldest of sizes.keys()) {
      if (total <= most) break
      cache.remove(oldest)
      forget(oldest)
    }
    return true
  }
  cache.shift = () => {
    shift()
    for (const id of sizes.keys()) if (!cache.msgs.has(id)) forget(id)
  }
}
