import { defineErrors } from '../../core/index.ts'

export const dagCommandErrors = defineErrors({
  E_FILE_EXPECTED: { message: () => 'expected a regular file' },
  E_STAT_REMAINDER: { message: () => 'cannot return size for anything other than a DAG with a root CID' },
  E_CAR_EXPECTED: { message: () => 'expected a file handle' },
  E_CAR_EMPTY: { message: (path: string) => `import failed: the CAR${path === '' ? '' : ` ${path}`} is empty: EOF` },
  E_INPUT_ENDS: { message: (path: string) => `the node${path === '' ? '' : ` ${path}`} is not whole: EOF` },
  E_ROOT_PIN: { message: (cid: string, why: string) => `pinning root "${cid}" FAILED: ${why}` },
  E_EXPORT_LINK: {
    message: (path: string, cid: string, why: string) => `error traversing node at ${path}: could not load link "${cid}": ${why}`
  },
  E_EXPORT_LOCAL: {
    message: () => '--local-only implies --offline and cannot be combined with --offline=false; please drop one of them'
  },
  E_IMPORT_LOCAL: {
    message: () => '--local-only implies --pin-roots=false and cannot be combined with --pin-roots=true; please drop one of them'
  },
  E_OUTPUT_CODEC: { message: (codec: string, why: string) => `invalid encoding: ${codec} - ${why}` }
})
