import { goQuote } from '../../core/go/quote.ts'
import { defineErrors } from '../../core/index.ts'

/** Errors of the older commands alone. Texts: go-ipfs 0.4.23, core/commands, namesys and tar. */
export const olderErrors = defineErrors({
  E_DATA_ENCODING: { message: () => 'unkown data field encoding' },
  E_OBJECT_ENCODING: { message: () => 'unknown object encoding' },
  E_OBJECT_TEMPLATE: { message: (name: string) => `unknown node type: ${name}` },
  E_OBJECT_EMPTY: { message: () => 'no data or links in this node' },
  E_OBJECT_FIELD: { message: (name: string) => `json: unknown field ${goQuote(name)}` },
  E_OBJECT_INPUT: { message: (why: string) => `object/put: the input is no node: ${why}` },
  E_OBJECT_TOO_LONG: {
    message: (command: string, most: number) =>
      `${command}: the input has more than ${most} bytes, the most that one object is made of (plugins.older.maxInput)`
  },
  E_FILE_EXPECTED: { message: () => 'expected a file argument' },
  E_FILE_LS_LARGE: { message: () => 'cannot list large directories yet' },
  E_FILE_LS_SYMLINK: { message: () => 'cannot list symlinks yet' },
  E_FILE_LS_TYPE: { message: (type: string) => `unrecognized type: ${type}` },
  E_FILE_LS_TOO_LONG: {
    message: (most: number) =>
      `file/ls: the folders have more than ${most} entries, the most that one call lists (plugins.older.maxEntries)`
  },
  E_TAR_ENTRIES: {
    message: (most: number) => `tar/add: the archive has more than ${most} entries, the most that one may have (plugins.older.maxEntries)`
  },
  E_TAR_DEPTH: { message: (most: number) => `an entry of the archive lies more than ${most} folders deep` },
  E_TAR_NOT: { message: () => 'not an IPFS tarchive' },
  E_DOMAIN: { message: () => 'not a valid domain name' },
  E_NAME_UNRESOLVED: { message: () => 'could not resolve name' },
  E_NAME_RECURSION: { message: () => 'could not resolve name (recursion limit exceeded)' },
  E_UPDATE_ABSENT: { message: () => 'ipfs-update not installed' },
  E_UPDATE_START: { message: (why: string) => `failed to start subcommand: ${why}` },
  E_UPDATE_FAILED: { message: (status: string) => `ipfs-update ended with ${status}` },
  E_EDITOR: { message: () => 'ENV variable $EDITOR not set' },
  E_EDITOR_FAILED: { message: (status: string) => `config/edit: the editor ended with ${status}; the configuration stays as it was` },
  E_EDITED: {
    message: (why: string, kept: string) => `config/edit: the configuration stays as it was, and what was edited is in ${kept}: ${why}`
  },
  E_EDIT_REPO: { message: () => 'config/edit: this node keeps everything in memory, so there is no file to edit' },
  E_URL_OFF: {
    message: () =>
      'either the filestore or the urlstore must be enabled to use nocopy, see: https://github.com/ipfs/kubo/blob/master/docs/experimental-features.md#ipfs-filestore'
  },
  E_URL: { message: (url: string) => `unsupported url syntax: ${url}` }
})
