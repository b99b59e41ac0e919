import { ERROR_DETAIL } from '../../core/contract/http.ts'
import { messageOf, type NodeError, withCauses } from '../../core/errors.ts'
import { REPO_VERSION } from '../../core/repo/layout.ts'

/** The text about an error, and the remedy. */
export interface Advice {
  readonly message: string
  readonly remedy: string | undefined
}

/** The remedy for a repo of a later version: Kubo's own has been renumbered since 0.28. */
export const NEWER_REPO = 'If it is a repo of Kubo, take it over: holdfast migrate FOLDER, with --repo for where to. Else update holdfast.'

/** The remedy where all of a repo is there but its configuration. */
export const LOST_CONFIG =
  'Put back a copy of it. Where an init was broken off, or there is no copy: holdfast init, which gives the node another identity.'

/** The remedy for a repo that does not say its version. */
export const MEND_VERSION = `Where the repo is of this program, or of Kubo 0.28, write the number into it: echo ${REPO_VERSION} > FOLDER/version`

const REMEDIES: Readonly<Record<string, string>> = {
  E_REPO_ABSENT: 'Make a repo: holdfast init',
  E_REPO_CONFIG_ABSENT: LOST_CONFIG,
  E_REPO_VERSION: MEND_VERSION,
  E_REPO_LOCKED: 'Where that is a node, stop it first: holdfast shutdown, or end its process. Or use another repo: --repo FOLDER.',
  E_API_UNREACHABLE: 'Is the daemon running? Start one: holdfast daemon',
  E_REMOTE_UNAUTHORIZED:
    'Where the node asks for a secret, give it: --api-auth bearer:TOKEN, or basic:USER:PASSWORD; unseen in HOLDFAST_API_AUTH, or in a file: --api-auth-file FILE.',
  E_REPO_PERMISSION: "Look at the folder's owner: holdfast doctor says what it should be.",
  E_REPO_NEWER: NEWER_REPO
}

/**
 * The innermost error that has a remedy decides: a plugin that failed is not what went wrong.
 *
 * @param see - the help of what was called, for an error of the caller's own
 */
export function remedyFor(error: unknown, see: string): Advice {
  for (const at of withCauses(error)) {
    const { code = '' } = at as Partial<NodeError>
    const remedy = REMEDIES[code]
    if (remedy === undefined) continue
    // the message may name the remedy itself
    const message = at.message.replace("\nplease run: 'holdfast init'", '')
    return { message, remedy }
  }
  const { wire, remedy, http } = (error ?? {}) as Partial<NodeError> & { readonly remedy?: string }
  const detail = http?.headers?.[ERROR_DETAIL]
  return {
    message: detail === undefined ? messageOf(error) : `${messageOf(error)}: ${detail}`,
    remedy: remedy ?? (wire === 'client' ? `See: ${see}` : undefined)
  }
}
