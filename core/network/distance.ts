import { hash } from 'node:crypto'

/** A place in the space of a DHT: the SHA-256 of a key or of a peer's multihash. */
export function placeOf(key: Uint8Array): Uint8Array {
  return hash('sha256', key, 'buffer')
}

/** Below zero where `a` is nearer to `target` than `b` is. */
export function compareDistance(target: Uint8Array, a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < target.length; i++) {
    const difference = (a[i]! ^ target[i]!) - (b[i]! ^ target[i]!)
    if (difference !== 0) return difference
  }
  return 0
}

/** Leading bits that two places have in common. */
export function commonBits(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length; i++) {
    const difference = a[i]! ^ b[i]!
    if (difference !== 0) return i * 8 + Math.clz32(difference) - 24
  }
  return a.length * 8
}

/** Peers by their distance to a key, the nearest first. */
export function nearest(key: Uint8Array, peers: readonly string[], idBytes: (peer: string) => Uint8Array): string[] {
  const target = placeOf(key)
  return peers
    .map(peer => ({ peer, place: placeOf(idBytes(peer)) }))
    .sort((a, b) => compareDistance(target, a.place, b.place))
    .map(({ peer }) => peer)
}
