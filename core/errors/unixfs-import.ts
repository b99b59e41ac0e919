import { defineErrors } from '../errors.ts'

/** What can be wrong with an import. Texts: Kubo 0.28 with boxo 0.19. */
export const importErrors = defineErrors({
  E_CHUNKER_UNKNOWN: { message: (text: string) => `unrecognized chunker option: ${text}` },
  E_CHUNKER_SIZE: { message: () => 'chunker size must be greater than 0' },
  E_CHUNKER_MAX: { message: (most: number) => `chunker parameters may not exceed the maximum chunk size of ${most}` },
  E_CHUNKER_NUMBER: { message: (why: string) => why },
  E_RABIN_FORMAT: { message: () => "incorrect format (expected 'rabin' 'rabin-[avg]' or 'rabin-[min]-[avg]-[max]'" },
  E_RABIN_LABEL: { message: (which: string, label: string) => `${which} label must be ${label}` },
  E_RABIN_MIN: { message: () => 'rabin min must be greater than 16' },
  E_RABIN_ORDER: { message: (low: string, high: string) => `incorrect format: rabin-${low} must be smaller than rabin-${high}` },
  E_LEAF_TOO_LARGE: { message: () => 'object size limit exceeded' },
  E_SHARD_TOO_DEEP: { message: () => 'sharded directory too deep' },
  E_ENTRY_EXISTS: { message: () => 'directory already has entry by that name' }
})
