import { defineErrors } from '../errors.ts'

/** CARs. Texts: Kubo 0.28 with go-car/v2 2.13, where it has one. A stream that ends is told by `dagErrors.E_EOF` and `E_UNEXPECTED_EOF`. */
export const carErrors = defineErrors({
  E_CAR_HEADER: { message: (why: string) => `invalid header: ${why}` },
  E_CAR_HEADER_TOO_LARGE: { message: () => 'invalid header data, length of read beyond allowable maximum' },
  E_CAR_VERSION: { message: (version: number) => `invalid car version: ${version}` },
  E_CAR_INNER_VERSION: {
    message: (version: number) => `invalid data payload header version; expected 1, got ${version}`
  },
  E_CAR_DATA_OFFSET: { message: (offset: bigint) => `invalid data payload offset: ${offset}` },
  E_CAR_DATA_SIZE: { message: (size: bigint) => `invalid data payload size: ${size}` },
  E_CAR_ROOTS: { message: (most: number) => `more than ${most} roots, the most that this node takes at a time` },
  E_CAR_SECTION_TOO_LARGE: { message: () => 'invalid section data, length of read beyond allowable maximum' },
  E_CAR_MISMATCH: { message: (expected: string, got: string) => `mismatch in content integrity, expected: ${expected}, got: ${got}` }
})
