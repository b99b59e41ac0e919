import test from 'ava'
import { itemsUntilError } from '../../helpers/streams.ts'
import { contentHost } from './helpers.ts'

const calls: Array<[string, 'folder' | 'large', Record<string, unknown>]> = [
  ['cat', 'large', {}],
  ['get', 'large', {}],
  ['get', 'folder', {}],
  ['get', 'large', { compress: true }],
  ['ls', 'large', { stream: true }],
  ['refs', 'large', {}],
  ['refs', 'folder', { recursive: true }]
]
for (const [path, what, options] of calls) {
  test(`who leaves ${path} of a ${what} ${JSON.stringify(options)} stops it, while a block is waited for`, async t => {
    const { host, blocks, at } = await contentHost(t)
    const controller = new AbortController()
    const get = blocks.get.bind(blocks)
    const waited = new Promise<void>(resolve => {
      blocks.get = cid => {
        if (String(cid) !== String(path === 'ls' ? at.large : at.part)) return get(cid)
        resolve()
        return new Promise(() => {})
      }
    })
    const reading = itemsUntilError(host.call(path, { args: [String(at[what])], options, signal: controller.signal }))
    await waited
    controller.abort()
    t.is((await reading).error, 'context canceled')
  })
}
