import test from 'ava'
import { blockstoreSuite, datastoreSuite } from '../../helpers/suites.ts'
import { backends } from './backends.ts'

for (const backend of backends) {
  const opened = new Map<object, () => Promise<void>>()
  const teardown = async (store: object) => {
    await opened.get(store)?.()
  }
  await blockstoreSuite(test, backend.name, {
    async setup() {
      const { blocks, close } = await backend.open()
      opened.set(blocks, close)
      return blocks
    },
    teardown
  })
  await datastoreSuite(test, backend.name, {
    async setup() {
      const { data, close } = await backend.open()
      opened.set(data, close)
      return data
    },
    teardown
  })
}
