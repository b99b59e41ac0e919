import { createHost } from '../../../host/create.ts'

const PEER = 'QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ'

/** Run as a process of its own: counts in a repo's configuration by commands, and says each number once both of its changes are answered. */
const host = await createHost({ repo: { path: process.argv[2]!, init: {} } })
await host.start()
const { Value = {} } = (await host.call('config', { args: ['Mine'] }).catch(() => ({}))) as { Value?: { Number?: number } }
for (let n = (Value.Number ?? 0) + 1; ; n++) {
  await host.call('config', { args: ['Mine.Number', String(n)], options: { json: true } })
  await host.call('bootstrap/add', { args: [`/ip4/10.0.0.${n}/tcp/1/p2p/${PEER}`] })
  process.stdout.write(`${n}\n`)
}
