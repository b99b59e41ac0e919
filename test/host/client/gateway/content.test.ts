/** What is wrong with content, and not with the gateways that it comes from. */
import test from 'ava'
import { GatewayError, openGateways, type TreeEntry } from '../../../../host/client/gateway/index.ts'
import { Blocks, unixfs } from '../../../core/unixfs/export/blocks.ts'
import { serve, site } from './served.ts'

test('a path that leads nowhere, and content that is none, are told as errors of their own', async t => {
  const blocks = new Blocks()
  const { root, folder } = await site(blocks)
  const broken = await blocks.pb(unixfs({ type: 5, data: Uint8Array.of(1) }), [['00', folder, 1]])
  const outer = await blocks.pb(unixfs({ type: 1 }), [['broken', broken, 1]])
  const gateway = await serve(t, blocks)
  const from = openGateways({ gateways: [gateway.url] })
  const read = async (entries: AsyncIterable<unknown>): Promise<void> => {
    for await (const entry of entries)
      if (typeof (entry as { bytes?: unknown }).bytes === 'function') await read((entry as TreeEntry).bytes())
  }
  for (const [code, entries] of [
    ['E_GATEWAY_ABSENT', from.cat(`${root}/none`)],
    ['E_GATEWAY_ABSENT', from.cat(`${root}/folder/none/more`)],
    ['E_GATEWAY_ABSENT', from.get(`${root}/small.txt/x`)],
    ['E_GATEWAY_ABSENT', from.ls(`${root}/none`)],
    ['E_GATEWAY_CONTENT', from.cat(`${root}/folder`)],
    ['E_GATEWAY_CONTENT', from.ls(`${root}/small.txt`)],
    ['E_GATEWAY_CONTENT', from.ls(String(broken))],
    ['E_GATEWAY_CONTENT', from.get(String(outer))]
  ] as const) {
    const error = await t.throwsAsync(() => read(entries))
    t.true(error instanceof GatewayError, String(error))
    t.is((error as GatewayError).code, code, error!.message)
  }
  const reason = new Error('enough')
  await t.throwsAsync(() => read(from.cat(`${root}/none`, { signal: AbortSignal.abort(reason) })), { is: reason })
})
