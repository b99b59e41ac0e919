import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import test from 'ava'
import { build } from 'esbuild'
import { Blocks } from '../../../core/unixfs/export/blocks.ts'
import { serve, site } from './served.ts'

test('the bundle for pages reads a gateway from where there are web globals alone', async t => {
  const file = fileURLToPath(new URL('../../../../browser/gateway.js', import.meta.url))
  const { outputFiles, metafile } = await build({
    entryPoints: [file],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'gateway',
    write: false,
    metafile: true
  })
  t.deepEqual(
    Object.keys(metafile.inputs).filter(input => isBuiltin(input)),
    []
  )
  const blocks = new Blocks()
  const { root, content } = await site(blocks)
  const served = await serve(t, blocks)
  const web = { AbortController, AbortSignal, ReadableStream, TextDecoder, TextEncoder, URL, btoa, crypto, fetch, setTimeout, clearTimeout }
  const bare = { Event, EventTarget, Uint8Array, queueMicrotask, structuredClone }
  const context = createContext({ ...web, ...bare, given: { url: served.url, root: String(root) } })
  runInContext(outputFiles[0]!.text, context)
  const read = await runInContext(
    `(async () => {
      let size = 0
      const content = gateway.openGateways({ gateways: [given.url] })
      for await (const { bytes } of content.get(given.root)) for await (const piece of bytes()) size += piece.length
      return size
    })()`,
    context
  )
  t.is(read, content.length + 6 + 6 + 'small.txt'.length)
})
