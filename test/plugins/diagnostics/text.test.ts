import test from 'ava'
import type { Call, Command } from '../../../core/index.ts'
import { id } from '../../../plugins/diagnostics/commands/id.ts'
import { version } from '../../../plugins/diagnostics/commands/version.ts'

const textOf = (command: Command, item: unknown, options: Record<string, unknown>) =>
  (command.text as (item: unknown, call: Call) => string)(item, { options } as unknown as Call)

const shown = { Version: '0.28.0', Commit: 'holdfast/1.2.3', Repo: '15', System: 'amd64/linux', Golang: 'node/24.0.0' }

for (const [options, text] of [
  [{}, 'ipfs version 0.28.0\n'],
  [{ number: true }, '0.28.0\n'],
  [{ commit: true }, 'ipfs version 0.28.0-holdfast/1.2.3\n'],
  [{ number: true, commit: true }, '0.28.0-holdfast/1.2.3\n'],
  [{ number: true, repo: true }, '15\n'],
  [
    { number: true, all: true },
    'Kubo version: 0.28.0-holdfast/1.2.3\nRepo version: 15\nSystem version: amd64/linux\nGolang version: node/24.0.0\n'
  ]
] as const) {
  test(`version ${JSON.stringify(options)} as text`, t => {
    t.is(textOf(version, shown, options), text)
  })
}

const self = { ID: 'ID$&', PublicKey: 'key', Addresses: ['/a', '/b'], AgentVersion: 'holdfast/1', Protocols: null }

for (const [format, text] of [
  ['<id> <aver>\\n\\t<addrs>', 'ID$& holdfast/1\n\t/a\n/b'],
  ['<id><id>|<pubkey>|<protocols>|<pver>', 'ID$&ID$&|key||<pver>'],
  ['', '']
] as const) {
  test(`id in the format ${JSON.stringify(format)}`, t => {
    t.is(textOf(id, self, { format }), text)
  })
}

test('id as text without a format is indented JSON', t => {
  t.is(
    textOf(id, { ID: 'x', PublicKey: '', Addresses: ['/p2p/x'], AgentVersion: '', Protocols: null }, {}),
    '{\n\t"ID": "x",\n\t"PublicKey": "",\n\t"Addresses": [\n\t\t"/p2p/x"\n\t],\n\t"AgentVersion": "",\n\t"Protocols": null\n}\n\n'
  )
})
