import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type { Grant } from '../../../core/index.ts'

/** A grant on its way through the SDK, which hands it to the handlers of the request that it came with. */
export function authInfoOf(grant: Grant | undefined): AuthInfo | undefined {
  return grant && { token: '', clientId: grant.name ?? '', scopes: [], extra: { grant } }
}

export function grantIn(info: AuthInfo | undefined): Grant | undefined {
  return info?.extra?.['grant'] as Grant | undefined
}
