import { defineErrors } from '../../core/index.ts'

const WITHOUT = 'To try this node without it: plugins: { storage-rocksdb: off, storage-memory: on } (nothing is kept when it stops).'

const DAMAGED = "Stop the node, and 'holdfast repo salvage' makes a new database of all that can be read."
const SALVAGE = "Where that is lost, 'holdfast repo salvage' makes a database of what is left."

export const storageErrors = defineErrors({
  E_STORAGE_NO_BINARY: {
    message: (host: string) => `storage-rocksdb: the package rocksdb-native carries no binary for ${host}. ${WITHOUT}`
  },
  E_STORAGE_NO_LIBATOMIC: {
    message: () =>
      'storage-rocksdb: RocksDB needs the library libatomic.so.1, which this machine lacks. ' +
      `Install libatomic1 (Debian, Ubuntu) or libatomic (Fedora, RHEL, Alpine). ${WITHOUT}`
  },
  E_STORAGE_BINARY_BROKEN: { message: (why: string) => `storage-rocksdb: RocksDB's binary does not load: ${why}. ${WITHOUT}` },
  E_STORAGE_OPEN: {
    message: (path: string, why: string, isDamage = false) =>
      `storage-rocksdb: the database in ${path} does not open: ${why}${isDamage ? `. ${DAMAGED}` : ''}`
  },
  E_STORAGE_MANIFEST: {
    message: (path: string, at: number) =>
      `storage-rocksdb: ${path}, which names the tables of the database, is damaged at ${at}. ${DAMAGED}`
  },
  E_STORAGE_DAMAGED: {
    message: (path: string, at: number, keys: string) =>
      `storage-rocksdb: ${path} is damaged at ${at}, with the keys from ${keys}. ${DAMAGED}`
  },
  E_STORAGE_NO_DATABASE: {
    message: (folder: string, beside: string) =>
      `storage-rocksdb: there is no database in ${folder}, though ${beside} was used before: is its volume mounted? ` +
      `Mount it, or put the folder back from a copy. ${SALVAGE}`
  },
  E_STORAGE_NO_CURRENT: {
    message: (folder: string) =>
      `storage-rocksdb: the database in ${folder} has lost its file CURRENT, and with it the way to its tables. Put it back from a copy. ${SALVAGE}`
  },
  E_STORAGE_PAIR: {
    message: (folder: string, isOther: boolean) =>
      `storage-rocksdb: ${folder} ${isOther ? 'has the blocks of another database than db beside it' : 'is not the folder that the database beside it keeps blocks in'}: ` +
      `is the right volume mounted? Mount it, or put both back from one copy. ${SALVAGE}`
  },
  E_STORAGE_NO_CONFIG: {
    message: (repo: string) =>
      `storage-rocksdb: the database in ${repo}/db is of a repo whose configuration is gone: put ${repo}/config back from a copy, or begin in another folder`
  },
  E_STORAGE_FORMAT: {
    message: (found: number, known: number) =>
      `storage-rocksdb: the database has format ${found}, this program knows ${known}: it was written by a newer one`
  },
  E_STORAGE_WRITE: {
    message: (why: string, isDamage = false) =>
      `storage-rocksdb: the database refused a write: ${why} (reads go on; writes are tried again from time to time; should that not help once the cause is mended, start the node again)` +
      (isDamage ? ` ${DAMAGED}` : '')
  },
  E_STORAGE_BEHIND: {
    message: (found: number, known: number) =>
      `storage-rocksdb: the database has batch ${found} as its last one after it was opened again, and had ${known} before`
  },
  E_STORAGE_SYNC: { message: (why: string) => `storage-rocksdb: what was written could not be made durable: ${why}` },
  E_STORAGE_LOST: {
    message: (blocks: number, names: string) =>
      `storage-rocksdb: the disk lost ${blocks} of the blocks that it failed to write: ${names} (add them again)`
  },
  E_STORAGE_MOVED: { message: (path: string) => `storage-rocksdb: ${path} is gone, although it is being written` },
  E_STORAGE_BLOCK: { message: (why: string) => `storage-rocksdb: the file of a block could not be written: ${why}` },
  E_STORAGE_HEAD: { message: (path: string, at: number) => `the head before it is damaged, in ${path} before byte ${at}` },
  E_STORAGE_FULL: {
    message: (folder: string, free: number, kept: number, merged: number) =>
      `storage-rocksdb: ENOSPC: no space left on device: ${mebibytes(free)} are free in ${folder}, ` +
      `and the last ${mebibytes(kept)} are kept for removing and collecting (the setting keepFree)` +
      (merged > 0 ? `, ${mebibytes(merged)} more for the database to merge its tables` : '')
  },
  E_STORAGE_INODES: {
    message: (folder: string, free: number, kept: number) =>
      `storage-rocksdb: ENOSPC: no space left on device: ${free} inodes are free in ${folder}, ` +
      `and the last ${kept} are kept for removing and collecting: remove files, or give the file system more inodes`
  },
  E_STORAGE_NOT_OPEN: { message: () => 'storage-rocksdb: the database is not open' },
  E_STORAGE_CLOSED: { message: () => 'storage-rocksdb: the stores were closed while they opened' },
  E_STORAGE_NO_REPO: { message: () => 'storage-rocksdb: this host keeps its repo in memory, so storage-memory is the plugin for it' },
  E_STORAGE_KEY_TOO_LONG: {
    message: (size: number, most: number) => `storage-rocksdb: a multihash of ${size} bytes is longer than a file's name allows (${most})`
  }
})

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}
