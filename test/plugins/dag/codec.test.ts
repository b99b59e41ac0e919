import test from 'ava'
import { type Codec, Dag, plugin, type Startable, service, type Token, token } from '../../../core/index.ts'
import { itemsUntilError } from '../../helpers/streams.ts'
import { dagHost, upload } from './helpers.ts'

/** Text in capitals, stored in small letters. */
const shout: Codec = {
  name: 'shout',
  code: 0x300001,
  decode: bytes => Buffer.from(bytes).toString().toUpperCase(),
  encode: node => Buffer.from(String(node).toLowerCase()),
  links: () => []
}

interface Shouting extends Startable {}
const Shouting: Token<Shouting> = token<Shouting>('acme.shouting')

class Registration implements Shouting {
  readonly #dag: Dag

  constructor(dag: Dag) {
    this.#dag = dag
  }

  start(): void {
    this.#dag.addCodec(shout)
    this.#dag.addHasher({ name: 'sum', code: 0x300002, digest: bytes => Uint8Array.of(bytes.length, ...new Uint8Array(19)) })
  }
}

const registration = (of: Token<Shouting>) => service(of, { needs: { dag: Dag }, make: s => new Registration(s.dag) })

const acme = plugin({
  name: 'acme-shout',
  api: '^1',
  about: 'Text in capitals.',
  provides: [registration(Shouting)]
})

test('a plugin adds a codec and a hash function, and every command knows them', async t => {
  const { host, blocks } = await dagHost(t, { plugins: [acme] })
  const options = { storeCodec: '0x300001' }
  const { items, error } = await itemsUntilError<{ Cid: { '/': string } }>(host.call('dag/put', { options, body: upload('"Hello"') }))
  t.is(error, undefined)
  const cid = items[0]!.Cid['/']
  t.is(Buffer.from(blocks.map.get(cid)!).toString(), 'hello')
  const { items: out } = await itemsUntilError<Uint8Array>(host.call('dag/get', { args: [cid] }))
  t.is(Buffer.concat(out).toString(), '"HELLO"')
  const { items: summed } = await itemsUntilError<{ Cid: { '/': string } }>(
    host.call('dag/put', { options: { hash: '0x300002' }, body: upload('1') })
  )
  t.regex(summed[0]!.Cid['/'], /^bafy/)
})

test('a second codec for one code is refused by name', async t => {
  const again = plugin({
    name: 'acme-again',
    api: '^1',
    about: 'The same once more.',
    provides: [registration(token<Shouting>('acme.again'))]
  })
  const error = await t.throwsAsync(dagHost(t, { plugins: [acme, again] }))
  t.regex(error.message, /codec shout: there is one for multicodec code 3145729 already/)
})
