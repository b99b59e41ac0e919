import test from 'ava'
import { itemsOf, testHost, upload } from '../../../host/testing.ts'

test('what takes more comparisons, or a deeper path, than the settings allow is refused with the setting', async t => {
  const host = await testHost({ configuration: { plugins: { object: { maxCompared: 6, maxDepth: 3 } } } })
  t.teardown(() => host.stop())
  const add = async (files: Record<string, string>) =>
    (await itemsOf<{ Hash: string }>(await host.call('add', { body: upload(files) }))).at(-1)!.Hash
  const [few, many] = [await add({ 'd/a': 'a' }), await add(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`d/${i}`, 'a'])))]
  t.deepEqual(await host.call('object/diff', { args: [few, few] }), { Changes: [] })
  await t.throwsAsync(host.call('object/diff', { args: [few, many] }), {
    code: 'E_OBJECT_DIFFERENCES',
    message: /plugins\.object\.maxCompared/
  })
  const patch = (name: string) => host.call('object/patch/add-link', { args: [few, name, few], options: { create: true } })
  t.regex(((await patch('x/y/z')) as { Hash: string }).Hash, /^Qm/)
  await t.throwsAsync(patch('x/y/z/w'), { code: 'E_OBJECT_DEPTH', message: /plugins\.object\.maxDepth/ })
})
