import { goQuote } from '../../../core/go/index.ts'
import { defineErrors } from '../../../core/index.ts'

const status = (code: number) => () => ({ status: code })
const CAR = 'application/vnd.ipld.car'

/** Errors of requests for CARs, archives and records. Texts: Kubo 0.28 with boxo 0.19 (gateway), where they have one. */
export const trustlessErrors = defineErrors({
  E_CAR_FORMAT_VERSION: { wire: 'client', http: status(400), message: () => `unsupported ${CAR} version: only version=1 is supported` },
  E_CAR_FORMAT_ORDER: {
    wire: 'client',
    http: status(400),
    message: (order: string) => `unsupported ${CAR} content type order parameter: ${goQuote(order)}`
  },
  E_CAR_FORMAT_DUPS: {
    wire: 'client',
    http: status(400),
    message: (dups: string) => `unsupported ${CAR} content type dups parameter: ${goQuote(dups)}`
  },
  E_CAR_SCOPE: {
    wire: 'client',
    http: status(400),
    message: (scope: string) => `unsupported ${CAR} dag-scope URL parameter: ${goQuote(scope)}`
  },
  E_CAR_BYTES: { wire: 'client', http: status(400), message: (why: string) => `invalid ${CAR} entity-bytes URL parameter: ${why}` },
  E_TAR_CODEC: {
    wire: 'client',
    http: status(406),
    message: (cid: string) =>
      `format "application/x-tar" requested but ${cid} is no file and no folder: fetch its block with ?format=raw, or all below it with ?format=car`
  },
  E_RECORD_PATH: { wire: 'client', http: status(400), message: (path: string) => `${path} is not an IPNS link` },
  E_RECORD_SUBPATH: { wire: 'client', http: status(400), message: () => 'cannot find ipns key for subpath' },
  E_RECORD_NAME: {
    wire: 'client',
    http: status(400),
    message: (name: string) => `${goQuote(name)} is no key: a DNSLink name has no IPNS record of its own`
  },
  E_RECORD_ABSENT: { message: () => 'routing: not found' },
  E_RECORD_INVALID: { message: (name: string, why: string) => `the IPNS record of ${name} that was found is not good: ${why}` },
  E_RECORD_UNSUPPORTED: { http: status(501), message: () => 'IPNS Record responses are not supported by this gateway' }
})
