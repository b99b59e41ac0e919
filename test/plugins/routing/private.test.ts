import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { CID, Routing } from '../../../core/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { onlineNode } from '../../helpers/online.ts'

const cid = CID.parse('bafkreifrv5u3d6kipdadv3hoah6vq3k7cjrrvm6ohdmuilkz2rry72w6ku')

for (const type of ['auto', 'autoclient'])
  test.serial(`in a private network nobody outside of it learns what is looked for, though Routing.Type is ${type}`, async t => {
    const asked: string[] = []
    const server = createServer(({ url = '' }, response) => {
      asked.push(url)
      response.writeHead(404).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => void server.close())
    process.env['IPFS_HTTP_ROUTERS'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    t.teardown(() => void delete process.env['IPFS_HTTP_ROUTERS'])
    const repo = join(await temporaryFolder(t), 'repo')
    await mkdir(repo, { recursive: true })
    await writeFile(join(repo, 'swarm.key'), `/key/swarm/psk/1.0.0/\n/base16/\n${'ab'.repeat(32)}\n`)
    const node = { 'Routing.Type': type }
    const [open, hidden] = [await onlineNode(t, { node }), await onlineNode(t, { node, repo })]
    await itemsOf(open.host.service(Routing)!.findProviders(cid))
    t.is(asked.length, 1)
    await itemsOf(hidden.host.service(Routing)!.findProviders(cid))
    t.is(asked.length, 1)
  })
