import { defineErrors } from '../../core/index.ts'

/** Errors of the content commands alone. Texts: Kubo 0.28, core/commands. */
export const contentErrors = defineErrors({
  E_OFFSET_NEGATIVE: { message: () => 'cannot specify negative offset' },
  E_LENGTH_NEGATIVE: { message: () => 'cannot specify negative length' },
  E_COMPRESSION_LEVEL: { message: () => 'compression level must be between 1 and 9' },
  E_NOT_REGULAR: { message: () => 'file is not regular' },
  E_LISTING_TOO_LARGE: {
    message: (most: number) =>
      `ls: the listing is longer than ${most} bytes, the most that this node collects (plugins.content.maxListing): ask for a stream of it`
  },
  E_REFERENCE_TOO_LONG: {
    message: (most: number) => `refs: a reference in this format is longer than ${most} characters, the most that this node writes`
  },
  E_REFS_FORMAT: { message: () => 'using format argument with edges is not allowed' },
  E_REFS: { message: (why: string) => why },
  E_CID_VERSION: { message: (version: number) => `unknown CID version: ${version}` },
  E_CID_VERSION_HASH: { message: () => 'CIDv0 only supports sha2-256' },
  E_ONLY_HASH_TO_FILES: { message: () => 'only-hash and to-files options are not compatible' },
  E_ADD_LAYOUT: { message: (key: string, given: string) => `config setting ${key} is '${given}': it is balanced or trickle` },
  E_ADD_PIN_NAME_TEXT: { message: () => 'pin name is no UTF-8' },
  E_ADD_PIN_NAME_LONG: { message: (size: number, most: number) => `pin name is ${size} bytes (max ${most} bytes)` },
  E_ADD_PIN_NAME: { message: () => 'pin-name option requires pin to be set' },
  E_ADD_METADATA_RAW: { message: () => "raw-leaves can't be used with UnixFS metadata like mode or modification time" },
  E_MTIME_ALONE: { message: () => 'option "mtime-nsecs" requires "mtime" to be provided as well' },
  E_MTIME_RANGE: { message: (most: number) => `mtime nanoseconds must be in range [1, ${most}]` },
  E_ADD_FANOUT: {
    message: (least: number, most: number, got: number) => `HAMT fanout must be a power of 2, between ${least} and ${most} (got ${got})`
  },
  E_ADD_FILE_LINKS: {
    message: (least: number, most: number, got: number) => `max-file-links must be between ${least} and ${most} (got ${got})`
  },
  E_ADD_INLINE_LIMIT: { message: (limit: number, most: number) => `inline-limit ${limit} exceeds maximum allowed size of ${most} bytes` },
  E_WRAP_TO_FILES: { message: () => 'wrap-with-directory and to-files options are not compatible' },
  E_NOCOPY_RAW_LEAVES: { message: () => "nocopy option requires '--raw-leaves' to be enabled as well" },
  E_NOCOPY_OFF: {
    message: () =>
      'either the filestore or the urlstore must be enabled to use nocopy, see: https://github.com/ipfs/kubo/blob/master/docs/experimental-features.md#ipfs-filestore'
  },
  E_DHT_TIMEOUT: { message: () => 'DHT timeout value must be >= 0' }
})
