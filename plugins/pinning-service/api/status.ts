import type { WantedPin } from '../requests/request.ts'
import type { CurrentRequest } from '../service.ts'

/** A request as the API shows it. */
interface PinStatus {
  readonly requestid: string
  readonly status: string
  readonly created: string
  readonly pin: WantedPin
  readonly delegates: readonly string[]
  readonly info?: Readonly<Record<string, string>>
}

export function statusOf({ id, status, created, pin, details }: CurrentRequest, delegates: readonly string[]): PinStatus {
  return { requestid: id, status, created, pin, delegates, ...(details !== undefined && { info: { status_details: details } }) }
}
