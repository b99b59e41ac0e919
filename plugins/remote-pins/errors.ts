import { goQuote } from '../../core/go/quote.ts'
import { defineErrors } from '../../core/index.ts'

/** Errors of remote pins. Texts: Kubo 0.28, core/commands/pin/remotepin.go, with boxo 0.19, pinning/remote/client; the rest are this node's own. */
export const remotePinErrors = defineErrors({
  E_REMOTE_SERVICE_MISSING: { message: () => 'a service name must be passed' },
  E_REMOTE_SERVICE_EMPTY: { message: () => 'remote pinning service name not specified' },
  E_REMOTE_SERVICE_UNKNOWN: { message: () => 'service not known' },
  E_REMOTE_SERVICE_EXISTS: { message: () => 'service already present' },
  E_REMOTE_SERVICES_MOST: {
    wire: 'client',
    message: (most: number) => `there are ${most} pinning services, the most that this node takes (plugins.remote-pins.maxServices)`
  },
  E_REMOTE_ENDPOINT: { message: () => 'service endpoint must be a valid HTTP URL' },
  E_REMOTE_ENDPOINT_QUERY: { message: () => 'service endpoint should be provided without any query parameters' },
  E_REMOTE_ENDPOINT_PINS: { message: () => 'service endpoint should be provided without the /pins suffix' },
  E_REMOTE_KEY: {
    message: () => 'the key of this pinning service cannot be sent: there is a control character in it. Remove the service and add it again'
  },
  E_REMOTE_POLL: { message: (variable: string, value: string, why: string) => `${variable}=${value}: ${why}` },
  E_REMOTE_NAME_TEXT: { message: () => 'name is no UTF-8' },
  E_REMOTE_NAME: { message: () => 'name cannot be longer than 255' },
  E_REMOTE_CID: { message: (text: string, why: string) => `CID ${goQuote(text)} cannot be parsed: ${why}` },
  E_REMOTE_STATUS: { message: (status: string) => `status ${goQuote(status)} is not valid` },
  E_REMOTE_ARGUMENT: { message: () => 'unexpected argument ""' },
  E_REMOTE_MANY: { message: () => 'multiple remote pins are matching this query, add --force to confirm the bulk removal' },
  E_REMOTE_REMOVED_MOST: {
    message: (most: number) =>
      `more than ${most} remote pins are matching this query, the most that are removed at once (plugins.remote-pins.maxRemoved): none was`
  },
  E_REMOTE_FAILED: { message: (id: string) => `remote service failed to pin requestid=${goQuote(id)}` },
  E_REMOTE_CHECK: {
    message: (id: string, why: string) => `failed to check pin status for requestid=${goQuote(id)} due to error: ${why}`
  },
  E_REMOTE_OTHER: {
    message: (id: string, other: string) =>
      `failed to check pin status for requestid=${goQuote(id)}, remote service sent unexpected requestid=${goQuote(other)}`
  },
  E_REMOTE_INTERRUPTED: { message: (id: string) => `waiting for pin interrupted, requestid=${goQuote(id)} remains on remote service` },
  E_REMOTE_RESULTS: {
    message: (count: number) => `invalid pinning service response: PinResults.count=${count} but no PinResults.results`
  },
  E_REMOTE_PAGES: {
    message: (created: string) => `invalid pinning service response: a pin that was asked for before ${created} is not older`
  },
  E_REMOTE_ANSWER: { message: (why: string) => `invalid pinning service response: ${why}` },
  E_REMOTE_REFUSED: {
    message: (reason: string, details: string, status: string) => `reason: ${goQuote(reason)}, details: ${goQuote(details)}: ${status}`
  },
  E_REMOTE_HTTP: { message: (status: number, why: string) => `remote pinning service returned http error ${status}: ${why}` },
  E_REMOTE_UNREACHABLE: {
    message: (method: string, url: string, why: string) =>
      `empty response from remote pinning service: ${method.charAt(0)}${method.slice(1).toLowerCase()} ${goQuote(url)}: ${why}`
  }
})
