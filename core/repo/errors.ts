import { isDeepStrictEqual } from 'node:util'
import { defineErrors } from '../errors.ts'
import type { RefusedValue } from '../services/storage/repo.ts'

/** Whether two refusals are about one and the same value. */
export function isSameRefusal(one: RefusedValue, other: RefusedValue): boolean {
  return one.key === other.key && isDeepStrictEqual(one.value, other.value)
}

/** The words of a message about content that a host would store or read otherwise. */
interface OtherLayout {
  readonly service: string
  readonly folder: string
  /** The plugins that wrote it, and those that would read it, in words. */
  readonly written: string
  readonly now: string
  readonly differences: string
  readonly remedy: string
}

/** Errors of reading a repo: by a command line from outside, and of its configuration by several plugins. */
export const repoErrors = defineErrors({
  E_ADDRESS_FILE_SIZE: { message: (file: string) => `API file too large, must be <2048 bytes long: ${file}` },
  E_LAYOUTS_FILE: {
    message: (file: string, reason: string) => `${file} says how the content of the repo is stored, and cannot be read: ${reason}`
  },
  E_REPO_IDENTITY: { message: (where: string, reason: string) => `${where}: Identity.PrivKey: ${reason}` },
  E_REPO_STORAGE: {
    message: (disk: string, wanted: string, folder: string) =>
      `datastore configuration of '${wanted}' does not match what is on disk '${disk}': what lies in ${folder} was stored by another program, or with other plugins. Use those, or export it there and import it into a repo of its own: --repo FOLDER (of Kubo's: holdfast migrate ${folder} --repo FOLDER)`
  },
  E_STORAGE_LAYOUT: {
    message: ({ service, folder, written, now, differences, remedy }: OtherLayout) =>
      `the ${service} in ${folder} was written by ${written}, and ${now} would not see its content${differences}. ${remedy}, or export what you need from there (holdfast dag export) and import it into a repo of its own: --repo FOLDER`
  },
  E_STORAGE_MAX: {
    message: (text: string, reason: string) =>
      `Datastore.StorageMax of the node configuration is no size, as '10GB' would be: '${text}': ${reason}`
  }
})
