import { defineErrors } from '../../errors.ts'

/** Errors of an import. Texts: Kubo 0.28 with boxo 0.19. */
export const importErrors = defineErrors({
  E_CHUNKER_UNKNOWN: { message: (text: string) => `unrecognized chunker option: ${text}` },
  E_CHUNKER_SIZE: { message: () => 'chunker size must be greater than 0' },
  E_CHUNKER_MAX: { message: (most: number) => `chunker parameters may not exceed the maximum chunk size of ${most}` },
  E_RABIN_FORMAT: { message: () => "incorrect format (expected 'rabin' 'rabin-[avg]' or 'rabin-[min]-[avg]-[max]'" },
  E_RABIN_LABEL: { message: (which: string, label: string) => `${which} label must be ${label}` },
  E_RABIN_MIN: { message: () => 'rabin min must be greater than 16' },
  E_RABIN_ORDER: { message: (low: string, high: string) => `incorrect format: rabin-${low} must be smaller than rabin-${high}` },
  E_LEAF_TOO_LARGE: { message: () => 'object size limit exceeded' },
  E_INLINE_TOO_LONG: {
    message: (size: number, most: number) =>
      `a block of ${size} bytes cannot stand in its own CID: this node makes such CIDs up to ${most} bytes`
  },
  E_SHARDING_ESTIMATION: {
    message: (given: string) => `config setting Import.UnixFSHAMTDirectorySizeEstimation is '${given}': it is links, block or disabled`
  },
  E_SHARD_TOO_DEEP: { message: () => 'sharded directory too deep' },
  E_UPLOAD_FOLDERS: {
    message: (most: number) =>
      `the upload has more than ${most} folders in one, the most that this node keeps in mind (plugins.content.maxFolders)`
  },
  E_NOCOPY_PATH: { message: () => "missing file path or URL, can't create filestore reference" },
  E_UPLOAD_EMPTY: { message: () => 'expected a file argument' },
  E_ENTRY_EXISTS: { message: () => 'directory already has entry by that name' },
  E_ENTRY_IS_FILE: { message: () => 'file already exists' },
  E_FOLDER_UNNAMED: { message: () => 'no path given to Mkdir' }
})
