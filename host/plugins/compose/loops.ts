import { type AnyProvision, tokenName, tokenOf } from '../../../core/index.ts'
import { hostErrors } from '../../errors.ts'
import type { LoadedPlugin } from '../load/load.ts'
import { orderByNeeds } from './order.ts'
import { madeBy, type Providers } from './providers.ts'

/** Services that one plugin makes out of each other can only be made in an order. @throws E_SERVICE_LOOP */
export function refuseLoops(loaded: readonly LoadedPlugin[], providers: Providers): void {
  for (const { plugin } of loaded) {
    const chain = loopIn(madeBy(plugin, providers))
    if (chain !== undefined) throw hostErrors.E_SERVICE_LOOP(plugin.name, chain)
  }
}

function loopIn(made: readonly AnyProvision[]): readonly string[] | undefined {
  const services = made.map(({ token, maker }) => {
    const needs = Object.values(maker?.needs ?? {})
    const name = tokenName(token)
    return { name, provides: [name], requires: needs.map(need => tokenName(tokenOf(need))), optional: [] }
  })
  return orderByNeeds(services, new Map(services.map(({ name }) => [name, name]))).cycle
}
