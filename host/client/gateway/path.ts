import { CID } from 'multiformats/cid'
import { GatewayError } from './errors.ts'

/** A path below a CID. */
interface ImmutablePath {
  readonly root: CID
  readonly names: readonly string[]
}

/**
 * The root and segments of `/ipfs/CID/a/b`, `CID/a/b` or `ipfs://CID/a/b`.
 *
 * @throws E_GATEWAY_PATH
 */
export function parsePath(text: string): ImmutablePath {
  const [root = '', ...names] = text.replace(/^(?:\/ipfs\/|ipfs:\/\/)/, '').split('/')
  if (text.startsWith('/ipns/') || text.startsWith('ipns://')) {
    throw new GatewayError('E_GATEWAY_PATH', `'${text}' begins with a name: gateways can be asked without trust for CIDs alone`)
  }
  if (names.some(name => name === '.' || name === '..')) throw new GatewayError('E_GATEWAY_PATH', `'${text}' has '.' or '..' in it`)
  try {
    return { root: CID.parse(root), names: names.filter(name => name !== '') }
  } catch (cause) {
    throw new GatewayError('E_GATEWAY_PATH', `'${text}' begins with no CID: ${(cause as Error).message}`, { cause })
  }
}
