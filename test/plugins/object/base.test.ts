import test from 'ava'
import type { RpcLevel } from '../../../core/contract/level.ts'
import { itemsOf, testHost, upload } from '../../../host/testing.ts'

async function withFile(t: { teardown(fn: () => Promise<unknown>): void }, level: RpcLevel) {
  const host = await testHost({ configuration: { rpc: { level } } })
  t.teardown(() => host.stop())
  const [{ Hash: file }] = (await itemsOf<{ Hash: string }>(await host.call('add', { body: upload({ f: 'file' }) }))) as [{ Hash: string }]
  const add = (options = {}) => host.call('object/patch/add-link', { args: [file, 'x', file], options })
  const remove = (options = {}) => host.call('object/patch/rm-link', { args: [file, 'x'], options })
  return { add, remove }
}

test('at level 0.42 links of a file are changed only with allow-non-unixfs', async t => {
  const { add, remove } = await withFile(t, '0.42')
  await t.throwsAsync(add(), { code: 'E_OBJECT_BASE_TYPE', message: /^cannot add named links to a UnixFS File node, / })
  await t.throwsAsync(remove(), { code: 'E_OBJECT_BASE_TYPE', message: /^cannot remove links from a UnixFS File node, / })
  t.regex(((await add({ allowNonUnixfs: true })) as { Hash: string }).Hash, /^Qm/)
  await t.throwsAsync(remove({ allowNonUnixfs: true }), { code: 'E_OBJECT_LINK' })
})

test('at level 0.28 links of any dag-pb object are changed', async t => {
  const { add, remove } = await withFile(t, '0.28')
  t.regex(((await add()) as { Hash: string }).Hash, /^Qm/)
  await t.throwsAsync(remove(), { code: 'E_OBJECT_LINK' })
})
