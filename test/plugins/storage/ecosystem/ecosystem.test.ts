import test from 'ava'
import { type Backend, backends, type Opened } from '../backends.ts'
import { blockstoreSuite, datastoreSuite } from './suites.ts'

/** One of the stores of a kind as the suites want it: they set it up and tear it down themselves. */
function stores<N extends 'blocks' | 'data'>(backend: Backend, name: N) {
  const opened = new Map<Opened[N], Opened>()
  return {
    async setup() {
      const both = await backend.open()
      opened.set(both[name], both)
      return both[name]
    },
    teardown: async (store: object) => opened.get(store as Opened[N])?.close()
  }
}

for (const backend of backends) {
  await blockstoreSuite(test, backend.name, stores(backend, 'blocks'))
  await datastoreSuite(test, backend.name, stores(backend, 'data'))
}
