/**
 * Blocks and keys in memory, gone when the node stops: for tests, and to try a node on a machine where RocksDB does not load.
 *
 * ```yaml
 * plugins:
 *   storage-rocksdb: off
 *   storage-memory: on
 * ```
 *
 * @packageDocumentation
 */
import { Blockstore, Datastore, type Kept, plugin, service } from '../../core/index.ts'
import { MemoryBlockstore } from './blockstore.ts'
import { MemoryDatastore } from './datastore.ts'

const keeps = (): Kept => ({ layout: undefined })

export default plugin({
  name: 'storage-memory',
  api: '^1',
  about: 'Keeps blocks and keys in memory until the node stops.',
  offByDefault: true,
  provides: [
    service(Blockstore, { keeps, make: () => new MemoryBlockstore() }),
    service(Datastore, { keeps, make: () => new MemoryDatastore() })
  ]
})
