import { type CID, type Token, token } from '../../core/index.ts'

/** The part of the service `routing` that finds peers which have a block. */
export interface ContentRouting {
  findProviders(
    cid: CID,
    options: { signal: AbortSignal; count: number }
  ): AsyncIterable<{ readonly type: string; readonly provider?: { readonly id: string; readonly addresses: readonly string[] } }>
}
export const ContentRouting: Token<ContentRouting> = token<ContentRouting>('routing')

/** The part of the service `provider` that tells others what this node has. */
export interface Reprovider {
  /** The key of the node configuration that has nothing told. */
  readonly off: string | undefined
  /** Milliseconds between two passes; 0: there are none. */
  readonly interval: number
  /** Defined where a sweep is in the place of passes. */
  readonly sweep: object | undefined
  reprovide(options: { signal: AbortSignal }): Promise<void>
}
export const Reprovider: Token<Reprovider> = token<Reprovider>('provider')
