import test from 'ava'
import { nodeConfigModel as model } from '../../../config/node/index.ts'
import type { NodeConfig } from '../../../core/index.ts'
import { decodeDocument, replaced } from '../../../plugins/configuration/replacement.ts'

const services = (svc: object, more: object = {}) => JSON.stringify({ Pinning: { RemoteServices: { svc: { API: svc }, ...more } } })
const file: NodeConfig = {
  Identity: { PeerID: 'me', PrivKey: 'secret' },
  Pinning: {
    RemoteServices: {
      svc: { API: { Endpoint: 'https://pins.example.org', Key: 'hush' } },
      ['__proto__']: { API: { Endpoint: 'e', Key: 'k' } }
    }
  },
  Mine: { Kept: 1 }
}
const other = { ['__proto__']: { API: { Endpoint: 'e' } } }
const replace = (text: string) => replaced(model, file, decodeDocument(model, text))

test('secrets are put back, and what the model does not know stays', t => {
  const next = replace(services({ Endpoint: 'https://pins.example.org' }, other))
  const found = next as unknown as { Identity: unknown; Mine: unknown; Pinning: { RemoteServices: Record<string, { API: unknown }> } }
  t.deepEqual(found.Identity, { PeerID: '', PrivKey: 'secret' })
  t.deepEqual(found.Mine, { Kept: 1 })
  t.deepEqual(found.Pinning.RemoteServices['svc']!.API, { Endpoint: 'https://pins.example.org', Key: 'hush' })
  t.deepEqual(Object.getOwnPropertyDescriptor(found.Pinning.RemoteServices, '__proto__')?.value.API, { Endpoint: 'e', Key: 'k' })
})

for (const [what, text, code] of [
  ['takes a pinning service away', '{}', 'E_CONFIG_REPLACE_SERVICES'],
  [
    'brings another pinning service',
    services({ Endpoint: 'https://pins.example.org' }, { two: { API: { Endpoint: 'x' } } }),
    'E_CONFIG_REPLACE_SERVICES'
  ],
  ['sends a pinning service elsewhere', services({ Endpoint: 'https://evil.example.org' }, other), 'E_CONFIG_REPLACE_SERVICE_API'],
  [
    'sets the key of a pinning service',
    services({ Endpoint: 'https://pins.example.org', Key: 'x' }, other),
    'E_CONFIG_REPLACE_SERVICE_API'
  ],
  ['brings a private key', '{"identity":{"Priv\u212aey":"x"}}', 'E_CONFIG_REPLACE_KEY'],
  ['is a list', '[]', 'E_CONFIG_DECODE'],
  ['is no JSON', 'x', 'E_CONFIG_DECODE'],
  ['does not fit', '{"Bootstrap":1}', 'E_CONFIG_DECODE'],
  ['is nested without end', '{"Datastore":{"Params":'.padEnd(500_000, '['), 'E_CONFIG_DECODE']
] as const) {
  test(`a document that ${what} is refused`, t => void t.throws(() => replace(text), { code }))
}
