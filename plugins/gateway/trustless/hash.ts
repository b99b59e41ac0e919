import xxhash from 'xxhash-wasm'

type Hash = (parts: ReadonlyArray<string | Uint8Array>) => string

let loading: Promise<Hash> | undefined

/** XXH64 as Etags of Kubo 0.28 have it: in digits of base 32. */
export async function xxh64(parts: ReadonlyArray<string | Uint8Array>): Promise<string> {
  loading ??= xxhash().then(({ create64 }) => parts => {
    const hash = create64()
    for (const part of parts) hash.update(part)
    return hash.digest().toString(32)
  })
  return (await loading)(parts)
}
