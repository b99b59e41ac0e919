/**
 * The 64-bit XXH3 hash with seed 0, its low 32 bits: what RocksDB sums tables up with (doc/xxhash_spec.md of xxHash). Up to 240 bytes in big integers; more, in
 * numbers of 32 bits, ten times as fast.
 */

const SECRET: Buffer = Buffer.from(
  'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c' +
    '3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364' +
    'eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e',
  'hex'
)
const WORD = (1n << 64n) - 1n
const P32_1 = 0x9e3779b1n
const P32_2 = 0x85ebca77n
const P32_3 = 0xc2b2ae3dn
const P64_1 = 0x9e3779b185ebca87n
const P64_2 = 0xc2b2ae3d27d4eb4fn
const P64_3 = 0x165667b19e3779f9n
const P64_4 = 0x85ebca77c2b2ae63n
const P64_5 = 0x27d4eb2f165667c5n
const MX1 = 0x165667919e3779f9n
const MX2 = 0x9fb21c651e98df25n

export const STRIPE = 64
/** Bytes from which on a hash is made in stripes. */
export const LONG = 241
/** Stripes of a block, between which the lanes are scrambled: so far a secret of 192 bytes goes in steps of 8. */
const BLOCK_STRIPES = 16

const mul = (a: bigint, b: bigint) => (a * b) & WORD
const fold = (a: bigint, b: bigint) => {
  const product = a * b
  return (product & WORD) ^ (product >> 64n)
}
const secret = (at: number) => SECRET.readBigUInt64LE(at)

export function xxh3Low(bytes: Buffer): number {
  const hash = bytes.length < LONG ? ofShort(bytes) : ofLong(bytes)
  return Number(hash & 0xffffffffn)
}

function avalanche(hash: bigint): bigint {
  let h = hash ^ (hash >> 37n)
  h = mul(h, MX1)
  return h ^ (h >> 32n)
}

function avalancheOld(hash: bigint): bigint {
  let h = mul(hash ^ (hash >> 33n), P64_2)
  h = mul(h ^ (h >> 29n), P64_3)
  return h ^ (h >> 32n)
}

function swap(word: bigint): bigint {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(word)
  return bytes.readBigUInt64BE()
}

function ofShort(b: Buffer): bigint {
  const n = b.length
  if (n === 0) return avalancheOld(secret(56) ^ secret(64))
  if (n <= 3) {
    const combined = (BigInt(b[0]!) << 16n) | (BigInt(b[n >> 1]!) << 24n) | BigInt(b[n - 1]!) | (BigInt(n) << 8n)
    return avalancheOld(combined ^ BigInt((SECRET.readUInt32LE(0) ^ SECRET.readUInt32LE(4)) >>> 0))
  }
  if (n <= 8) {
    const input = BigInt(b.readUInt32LE(n - 4)) + (BigInt(b.readUInt32LE(0)) << 32n)
    let h = input ^ (secret(8) ^ secret(16))
    h ^= (((h << 49n) | (h >> 15n)) & WORD) ^ (((h << 24n) | (h >> 40n)) & WORD)
    h = mul(h, MX2)
    h ^= (h >> 35n) + BigInt(n)
    h = mul(h & WORD, MX2)
    return h ^ (h >> 28n)
  }
  if (n <= 16) {
    const low = b.readBigUInt64LE(0) ^ (secret(24) ^ secret(32))
    const high = b.readBigUInt64LE(n - 8) ^ (secret(40) ^ secret(48))
    return avalanche((BigInt(n) + swap(low) + high + fold(low, high)) & WORD)
  }
  const mix = (at: number, key: number) => fold(b.readBigUInt64LE(at) ^ secret(key), b.readBigUInt64LE(at + 8) ^ secret(key + 8))
  let h = mul(BigInt(n), P64_1)
  if (n <= 128) {
    for (let i = (n - 1) >> 5; i >= 0; i--) h += mix(16 * i, 32 * i) + mix(n - 16 * (i + 1), 32 * i + 16)
    return avalanche(h & WORD)
  }
  for (let i = 0; i < 8; i++) h += mix(16 * i, 16 * i)
  h = avalanche(h & WORD)
  for (let i = 8; i < n >> 4; i++) h += mix(16 * i, 16 * (i - 8) + 3)
  return avalanche((h + mix(n - 16, 136 - 17)) & WORD)
}

/** The words of 32 bits of the secret from a place on. */
function secretFrom(at: number): Int32Array {
  return new Int32Array(new Uint8Array(SECRET.subarray(at, at + Math.floor((SECRET.length - at) / 4) * 4)).buffer)
}

const SECRETS = secretFrom(0)
const LAST_SECRET = secretFrom(SECRET.length - STRIPE - 7)
/** Words of the secret before those that lanes are scrambled with. */
const SCRAMBLE_AT = (SECRET.length - STRIPE) / 4
/** Eight lanes of 64 bits, each as its low and its high half. */
const START = Int32Array.from(
  [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1].flatMap(word => [Number(word & 0xffffffffn) | 0, Number(word >> 32n) | 0])
)

/** The high 32 bits of the product of two numbers of 32 bits. */
function highProduct(a: number, b: number): number {
  const a0 = a & 0xffff
  const a1 = a >>> 16
  const b0 = b & 0xffff
  const b1 = b >>> 16
  const middle = (Math.imul(a1, b0) + (Math.imul(a0, b0) >>> 16)) >>> 0
  const cross = (Math.imul(a0, b1) + (middle & 0xffff)) >>> 0
  return (Math.imul(a1, b1) + (middle >>> 16) + (cross >>> 16)) | 0
}

/** Takes the stripe at a word of the input into the lanes. */
function accumulate(lanes: Int32Array, words: Int32Array, at: number, secrets: Int32Array, key: number): void {
  for (let i = 0; i < 16; i += 2) {
    const low = words[at + i]!
    const high = words[at + i + 1]!
    const a = low ^ secrets[key + i]!
    const b = high ^ secrets[key + i + 1]!
    const own = Math.imul(a, b)
    const sum = (lanes[i]! + own) | 0
    lanes[i + 1] = lanes[i + 1]! + highProduct(a, b) + (sum >>> 0 < own >>> 0 ? 1 : 0)
    lanes[i] = sum
    const other = i ^ 2
    const next = (lanes[other]! + low) | 0
    lanes[other + 1] = lanes[other + 1]! + high + (next >>> 0 < low >>> 0 ? 1 : 0)
    lanes[other] = next
  }
}

function scramble(lanes: Int32Array): void {
  const prime = Number(P32_1) | 0
  for (let i = 0; i < 16; i += 2) {
    const low = lanes[i]! ^ (lanes[i + 1]! >>> 15) ^ SECRETS[SCRAMBLE_AT + i]!
    const high = lanes[i + 1]! ^ SECRETS[SCRAMBLE_AT + i + 1]!
    lanes[i] = Math.imul(low, prime)
    lanes[i + 1] = highProduct(low, prime) + Math.imul(high, prime)
  }
}

/** The words of the input, and those of its last stripe. */
function wordsOf(bytes: Buffer): { words: Int32Array; last: Int32Array } {
  const copy = new Uint8Array((bytes.length + 3) & ~3)
  copy.set(bytes)
  return { words: new Int32Array(copy.buffer), last: new Int32Array(copy.slice(bytes.length - STRIPE, bytes.length).buffer) }
}

/** Stripes but for the last one, which may have bytes of that before it. A block that is full is scrambled, as anything is behind it. */
const stripesOf = (length: number) => Math.floor((length - 1) / STRIPE)

function ofLong(bytes: Buffer): bigint {
  const { words, last } = wordsOf(bytes)
  const lanes = START.slice()
  const stripes = stripesOf(bytes.length)
  for (let stripe = 0; stripe < stripes; stripe++) {
    const within = stripe % BLOCK_STRIPES
    accumulate(lanes, words, stripe * 16, SECRETS, 2 * within)
    if (within === BLOCK_STRIPES - 1) scramble(lanes)
  }
  accumulate(lanes, last, 0, LAST_SECRET, 0)
  let h = mul(BigInt(bytes.length), P64_1)
  for (let pair = 0; pair < 4; pair++) h += foldOf(lanes, pair)
  return avalanche(h & WORD)
}

/** What two lanes give to the hash. */
function foldOf(lanes: Int32Array, pair: number, at = 4 * pair): bigint {
  const lane = (i: number) => BigInt(lanes[i]! >>> 0) | (BigInt(lanes[i + 1]! >>> 0) << 32n)
  return fold(lane(at) ^ secret(11 + 16 * pair), lane(at + 2) ^ secret(11 + 16 * pair + 8))
}

/** Adds what a lane of `sums` has, from a place on, to one of `lanes`. */
function add(lanes: Int32Array, at: number, low: number, high: number): void {
  const sum = (lanes[at]! + low) | 0
  lanes[at + 1] = lanes[at + 1]! + high + (sum >>> 0 < low >>> 0 ? 1 : 0)
  lanes[at] = sum
}

/**
 * Looks for a bit that makes the low half of the hash of more than 240 bytes another one. Lanes go their ways apart from each other up to the end, and a
 * bit is part of two of them: only those are summed up again, a KiB at a step.
 *
 * @param wanted - the hash's low 32 bits once the bit is turned back
 * @returns steps that take well under a millisecond each; the last one, if any, has the bit. The last stripe is not looked at
 */
export function* bitFor(bytes: Buffer, wanted: number): Generator<{ readonly at: number; readonly mask: number } | undefined> {
  const { words, last } = wordsOf(bytes)
  const stripes = stripesOf(bytes.length)
  const blocks = Math.floor(stripes / BLOCK_STRIPES)
  // What each block adds to the lanes, the last one with the last stripe, and what they are behind it.
  const sums = new Int32Array(16 * (blocks + 1))
  const ofBlock = (block: number) => sums.subarray(16 * block, 16 * block + 16)
  for (let stripe = 0; stripe < stripes; stripe++)
    accumulate(ofBlock(Math.floor(stripe / BLOCK_STRIPES)), words, stripe * 16, SECRETS, 2 * (stripe % BLOCK_STRIPES))
  accumulate(ofBlock(blocks), last, 0, LAST_SECRET, 0)
  const lanes = START.slice()
  const behind = Array.from({ length: blocks + 1 }, (_, block) => {
    if (block > 0) scramble(lanes)
    const sum = ofBlock(block)
    for (let i = 0; i < 16; i += 2) add(lanes, i, sum[i]!, sum[i + 1]!)
    return lanes.slice()
  })
  const folds = [0, 1, 2, 3].map(pair => foldOf(lanes, pair))
  const whole = folds.reduce((sum, one) => sum + one, mul(BigInt(bytes.length), P64_1))
  const changed = new Int32Array(4)
  const isRight = (pair: number) => {
    const hash = avalanche((whole - folds[pair]! + foldOf(changed, pair, 0)) & WORD)
    return Number(hash & 0xffffffffn) === wanted
  }
  const looked = (bytes.length - STRIPE) >> 2
  for (let word = 0; word < looked; word++) {
    const block = Math.floor(word / (16 * BLOCK_STRIPES))
    // The halves of a lane are multiplied with each other, and the word is added to the lane beside it.
    const [half, lane, pair] = [word & 1, (word & 14) >> 1, (word & 12) >> 2]
    const key = 2 * (Math.floor(word / 16) % BLOCK_STRIPES) + 2 * lane
    const own = words[word]!
    const factor = words[word ^ 1]! ^ SECRETS[key + (half ^ 1)]!
    for (let bit = 0; bit < 32; bit++) {
      const other = own ^ (1 << bit)
      const before = own ^ SECRETS[key + half]!
      const after = other ^ SECRETS[key + half]!
      changed.set(behind[block]!.subarray(4 * pair, 4 * pair + 4))
      const mine = 2 * (lane & 1)
      add(changed, mine, -Math.imul(before, factor) | 0, -1 - highProduct(before, factor) + (Math.imul(before, factor) === 0 ? 1 : 0))
      add(changed, mine, Math.imul(after, factor), highProduct(after, factor))
      const difference = other - own
      // As numbers without a sign.
      const grown = (other >>> 0) - (own >>> 0)
      if (half === 1) changed[(mine ^ 2) + 1] = changed[(mine ^ 2) + 1]! + difference
      else add(changed, mine ^ 2, grown | 0, grown < 0 ? -1 : 0)
      goOn(changed, sums, block + 1, pair)
      if (isRight(pair)) {
        yield { at: word * 4 + (bit >> 3), mask: 1 << (bit & 7) }
        return
      }
    }
    yield undefined
  }
}

/** Scrambles two lanes, and adds what a block adds to them, for each of the blocks from one on. */
function goOn(changed: Int32Array, sums: Int32Array, block: number, pair: number): void {
  const prime = Number(P32_1) | 0
  for (let i = 0; i < 4; i += 2) {
    let low = changed[i]!
    let high = changed[i + 1]!
    const [one, other] = [SECRETS[SCRAMBLE_AT + 4 * pair + i]!, SECRETS[SCRAMBLE_AT + 4 * pair + i + 1]!]
    for (let at = 16 * block + 4 * pair + i; at < sums.length; at += 16) {
      const mixed = low ^ (high >>> 15) ^ one
      const product = Math.imul(mixed, prime)
      low = (product + sums[at]!) | 0
      high = (highProduct(mixed, prime) + Math.imul(high ^ other, prime) + sums[at + 1]! + (low >>> 0 < product >>> 0 ? 1 : 0)) | 0
    }
    changed[i] = low
    changed[i + 1] = high
  }
}
