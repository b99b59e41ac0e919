/**
 * Content of trustless gateways, for browsers and every other runtime with `fetch`: without a node, and without trusting the gateways.
 *
 * ```ts
 * import { openGateways } from 'holdfast/client/gateway'
 *
 * const content = openGateways({ gateways: ['https://trustless-gateway.example'] })
 * for await (const bytes of content.cat('/ipfs/bafybei…/readme.txt')) console.log(bytes)
 * ```
 *
 * @packageDocumentation
 */
export type { GatewayOptions } from './blocks.ts'
export { type FolderEntry, type Gateways, openGateways, type ReadOptions, type TreeEntry } from './content.ts'
export type { Check } from './digest.ts'
export { GatewayError, type GatewayErrorCode, type Refusal } from './errors.ts'
export type { Timer } from './request.ts'
