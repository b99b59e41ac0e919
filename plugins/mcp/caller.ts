import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type { Caller } from '../../core/index.ts'

type Sender = Pick<Caller, 'address' | 'grant' | 'authorization'>

/** The caller of one request in the form in which the SDK hands it to who answers. */
export function authInfoOf({ address, grant, authorization }: Caller): AuthInfo {
  const sender: Sender = { address, grant, authorization }
  return { token: '', clientId: grant?.name ?? '', scopes: [], extra: { sender } }
}

/** The caller that {@link authInfoOf} put there; undefined for a client that came over no listener. */
export function callerIn(authInfo: AuthInfo | undefined): Sender | undefined {
  return authInfo?.extra?.['sender'] as Sender | undefined
}
