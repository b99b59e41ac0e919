import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { hostAndPort } from '../addresses/addresses.ts'

/** Where undici, by which Node.js opens WebSockets, tells of connections that do not come about. */
const CHANNEL = 'undici:client:connectError'

interface ConnectError {
  /** The port is left out where it is the usual one of the scheme. */
  readonly connectParams: { readonly host: string }
  readonly error: Error
}

/**
 * The dial of an address, by a WebSocket perhaps: where one is not opened, the engine's event says nothing of the reason, and what was thrown is
 * no error.
 *
 * @throws the reason, or what was thrown where that is an error
 */
export async function namingReason<T>(address: string, dial: () => Promise<T>): Promise<T> {
  if (!/\/wss?(\/|$)/.test(address)) return dial()
  const place = hostAndPort(address) ?? ''
  const places: ReadonlySet<string> = new Set([place, place.replace(/:(80|443)$/, '')])
  let reason: Error | undefined
  const hear = (message: unknown) => {
    const { connectParams, error } = message as ConnectError
    if (places.has(connectParams.host)) reason = error
  }
  subscribe(CHANNEL, hear)
  try {
    return await dial()
  } catch (error) {
    throw error instanceof Error ? error : (reason ?? new Error('the WebSocket was not opened'))
  } finally {
    unsubscribe(CHANNEL, hear)
  }
}
