import type { BlockOptions } from '../../core/index.ts'
import { gatewayErrors } from './errors.ts'

/** What a name leads to at a moment. */
export interface NamedContent {
  /** A path that no name is in any more: `/ipfs/Qm…/a`. */
  readonly path: string
  /** How long that can be relied on, in seconds; undefined where nothing says. */
  readonly ttl: number | undefined
  readonly resolvedAt: Date
}

/** What the gateway asks of names. */
export interface ContentNames {
  /** Whether there is a DNSLink of this host name. */
  hasDnsLink(name: string, options: BlockOptions): Promise<boolean>
  /** Follows a name, and names that it leads to. @param name - what stands behind `/ipns/` */
  resolve(name: string, options: BlockOptions): Promise<NamedContent>
  /** The newest signed record of a key that is known, which who asks has to check; undefined where none is. Absent without routing. */
  record?(name: string, options: BlockOptions): Promise<Uint8Array | undefined>
}

/** Names of a node that has no plugin for them. */
export const noNames: ContentNames = {
  hasDnsLink: async () => false,
  resolve() {
    throw gatewayErrors.E_GATEWAY_NO_NAMES()
  }
}
