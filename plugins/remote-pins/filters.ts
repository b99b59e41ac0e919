import { parseCid } from '../../core/cid/index.ts'
import { type CID, messageOf, p } from '../../core/index.ts'
import { PIN_STATUSES, type RemoteStatus } from './client/answers.ts'
import type { RemoteQuery } from './client/remote-service.ts'
import { remotePinErrors } from './errors.ts'

/** A parameter that names a pinning service. */
export const serviceName = (help: string) =>
  p
    .name(help)
    .completedBy('pin/remote/service/ls', ({ RemoteServices }: { RemoteServices: ReadonlyArray<{ Service: string }> }) =>
      RemoteServices.map(({ Service }) => Service)
    )

/** The service that a command asks. */
export const serviceOption = serviceName('Name of the pinning service.')

/** The options that say which pins of a service are meant. */
export const filterOptions = {
  service: serviceOption,
  name: p.string('Only pins with exactly this name.'),
  cid: p.string('Only pins of these CIDs.').many(),
  status: p
    .string('Only pins in these states: queued, pinning, pinned, failed. Default: pinned.')
    .many()
    .oneOf(...PIN_STATUSES)
}

/** @throws E_REMOTE_NAME_TEXT: JSON, which carries it to a service, would make another name of it */
export function checkNameText(name: string): void {
  if (!name.isWellFormed()) throw remotePinErrors.E_REMOTE_NAME_TEXT()
}

/** @throws E_REMOTE_NAME_TEXT, E_REMOTE_CID, E_REMOTE_STATUS */
export function queryOf(options: {
  readonly name?: string | undefined
  readonly cid: readonly string[]
  readonly status: readonly string[]
}) {
  checkNameText(options.name ?? '')
  const query: RemoteQuery = {
    name: options.name,
    cids: options.cid.map(readCid),
    statuses: options.status.length === 0 ? ['pinned'] : options.status.map(readStatus)
  }
  return query
}

function readCid(text: string): CID {
  try {
    return parseCid(text)
  } catch (error) {
    throw remotePinErrors.E_REMOTE_CID(text, messageOf(error))
  }
}

function readStatus(text: string): RemoteStatus {
  const status = PIN_STATUSES.find(known => known === text)
  if (status === undefined) throw remotePinErrors.E_REMOTE_STATUS(text)
  return status
}
