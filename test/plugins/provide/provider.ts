import type { Blockstore } from '../../../core/index.ts'
import { provideStrategy, reproviderPlan } from '../../../core/network/index.ts'
import { NodeProvider } from '../../../plugins/provide/provider.ts'
import { ProvideQueue } from '../../../plugins/provide/queue.ts'
import { provideSettings } from '../../../plugins/provide/settings.ts'
import { toProvide } from '../../../plugins/provide/strategy.ts'
import { MemoryDatastore } from '../../../plugins/storage-memory/datastore.ts'

type Provide = ConstructorParameters<typeof NodeProvider>[0]['routing']['provide']

/** A provider with default settings that tells of every block of a store, by a routing that can do nothing but `provide`. */
export function providerOf(blockstore: Blockstore, provide: Provide): NodeProvider {
  const datastore = new MemoryDatastore()
  return new NodeProvider({
    routing: { hasPeers: true, onPeer: () => () => {}, getValue: async function* () {}, putValue: async function* () {}, provide },
    names: undefined,
    datastore,
    queue: new ProvideQueue(datastore, 1),
    plan: reproviderPlan(() => undefined),
    settings: provideSettings.parse({}),
    log: { debug() {}, error() {}, warn() {} } as never,
    toProvide: signal => toProvide(provideStrategy('Provide.Strategy', 'all'), { blockstore, pins: undefined, tree: undefined }, signal)
  })
}
