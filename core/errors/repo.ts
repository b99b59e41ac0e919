import { defineErrors } from '../errors.ts'

/** What is read of a repo: by a command line from outside, and of its configuration by several plugins. */
export const repoErrors = defineErrors({
  E_ADDRESS_FILE_SIZE: { message: (file: string) => `API file too large, must be <2048 bytes long: ${file}` },
  E_STORAGE_MAX: {
    message: (text: string, reason: string) =>
      `Datastore.StorageMax of the node configuration is no size, as '10GB' would be: '${text}': ${reason}`
  }
})
