import {
  Blockstore,
  Datastore,
  Keys,
  Mfs,
  Names,
  NodeConfigModel,
  optional,
  Pins,
  References,
  Repo,
  type Services,
  tokenName,
  tokenOf,
  UnixFs
} from '../../core/index.ts'
import { migrateErrors } from './errors.ts'

/** The services that all content of a repo goes through. A host may have some of it off; then nothing is moved. */
export const moving = {
  store: Blockstore,
  datastore: Datastore,
  repo: Repo,
  model: NodeConfigModel,
  unixfs: optional(UnixFs),
  pins: optional(Pins),
  mfs: optional(Mfs),
  keys: optional(Keys),
  names: optional(Names),
  references: optional(References)
} as const

type MovingServices = Services<typeof moving>

/** The same with nothing off, but for references, which not every repo has. */
export type Moving = { readonly [K in Exclude<keyof MovingServices, 'references'>]: NonNullable<MovingServices[K]> } & Pick<
  MovingServices,
  'references'
>

/** @throws E_MIGRATE_OFF */
export function complete(given: MovingServices): Moving {
  const missing = (Object.keys(moving) as Array<keyof MovingServices>).find(name => name !== 'references' && given[name] === undefined)
  if (missing !== undefined) throw migrateErrors.E_MIGRATE_OFF(tokenName(tokenOf(moving[missing])))
  return given as Moving
}
