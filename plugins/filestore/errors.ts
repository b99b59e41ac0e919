import { goQuote } from '../../core/go/quote.ts'
import { defineErrors } from '../../core/index.ts'

/** Errors of references. Texts: Kubo 0.28, core/commands/filestore.go, with boxo 0.19, filestore; the rest are this node's own. */
export const filestoreErrors = defineErrors({
  E_FILESTORE_OFF: { message: () => 'filestore is not enabled, see https://git.io/vNItf' },
  E_URLSTORE_OFF: { message: () => 'urlstore is not enabled' },
  E_REFERENCE_OUTSIDE: { message: (root: string) => `cannot add filestore references outside ipfs root (${root})` },
  E_REFERENCE_LINK: {
    message: (path: string) => `refusing to read ${path}: it leads out of the folders that may be referred to (plugins.filestore.roots)`
  },
  E_REFERENCE_KIND: { message: (path: string) => `refusing to read ${path}: it is no file` },
  E_REFERENCE_MISSING: { message: (path: string) => `open ${path}: no such file or directory` },
  E_REFERENCE_FILE: { message: (why: string) => why },
  E_REFERENCE_CHANGED: { message: (path: string, offset: number) => `data in file did not match. ${path} offset ${offset}` },
  E_REFERENCE_SHORT: { message: (none: boolean) => (none ? 'EOF' : 'unexpected EOF') },
  E_REFERENCE_RECORD: { message: (why: string) => `the record of a reference is broken: ${why}` },
  E_REFERENCE_SIZE: { message: (size: number, most: number) => `a reference to ${size} bytes: this node reads up to ${most} as one block` },
  E_REFERENCE_STATUS: { message: (status: number) => `expected HTTP 200 or 206 got ${status}` },
  E_REFERENCE_HOST: {
    message: (url: string, host: string) =>
      `refusing to ask ${goQuote(url)}: the host '${host}' is none of those that may be referred to (plugins.filestore.hosts)`
  },
  E_REFERENCE_ADDRESS: {
    message: (url: string, address: string) =>
      `refusing to ask ${goQuote(url)}: ${address} is an address of this machine or of its network (plugins.filestore.privateAddresses)`
  },
  E_REFERENCE_REDIRECTS: { message: (url: string, most: number) => `Get ${goQuote(url)}: stopped after ${most} redirects` },
  E_REFERENCE_SILENT: {
    message: (url: string, ms: number) => `Get ${goQuote(url)}: nothing came for ${ms} ms (plugins.filestore.silenceMs)`
  },
  E_REFERENCES_SORTED: {
    message: (most: number) =>
      `filestore: there are more than ${most} references, the most that are sorted by file (plugins.filestore.maxSorted): list them without file-order`
  }
})
