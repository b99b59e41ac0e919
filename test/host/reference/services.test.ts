import { readFile } from 'node:fs/promises'
import test from 'ava'
import { tokenName } from '../../../core/index.ts'
import { type ServiceTexts, serviceTexts } from '../../../host/reference/service-types.ts'
import { prose, servicesPage } from '../../../host/reference/services-page.ts'
import { declaredPlugins } from '../../helpers/declared.ts'

const root = new URL('../../../../', import.meta.url)
let texts: ServiceTexts
test.before(async () => {
  texts = await serviceTexts(root)
})

test('every service that a plugin can need is described, with what each of its methods does', async t => {
  const page = await readFile(new URL('docs/services.md', root), 'utf8')
  t.true(texts.services.length > 20)
  const silent = texts.services.flatMap(({ token, comment, members }) => [
    ...(comment === '' ? [token] : []),
    ...members.filter(member => member.comment === '' && member.library === undefined).map(({ name }) => `${token}.${name}`)
  ])
  t.deepEqual(silent, [])
  t.deepEqual(
    texts.types.filter(({ source }) => !source.startsWith('/**')).map(({ name }) => name),
    []
  )
  for (const { token, members } of texts.services) {
    const section = page.split(`\n## ${token}\n`)[1]?.split('\n## ')[0]
    t.not(section, undefined, token)
    for (const { signatures } of members) for (const line of signatures) t.true(section!.includes(line), `${token}: ${line}`)
  }
})

test('members that a service has of others, and of libraries, are there with their types', t => {
  const of = (token: string) => new Map(texts.services.find(one => one.token === token)!.members.map(member => [member.name, member]))
  t.deepEqual(of('Blockstore').get('totals')?.signatures, ['totals?(options?: StoreOptions): Promise<BlockTotals>'])
  const get = of('Datastore').get('get')
  t.is(get?.library, 'interface-store')
  t.deepEqual(get?.signatures, ['get: (key: Key, options?: AbortOptions) => Promise<Uint8Array> | Uint8Array'])
  t.deepEqual(of('Settings').size, 0)
  t.is(of('StorageLayers').get('has')?.library, 'JavaScript')
})

test('a plugin whose service nobody could need is refused', async t => {
  const plugins = await declaredPlugins()
  const { token } = plugins.flatMap(({ provides }) => provides)[0]!
  const without = { ...texts, services: texts.services.filter(({ name }) => name !== tokenName(token)) }
  t.throws(() => servicesPage(plugins, without), { message: new RegExp(`the service '${tokenName(token)}' of .* has no token`) })
})

test('what a comment says is told as text', t => {
  const comment = [
    '/**',
    '   * Adds, as {@link Pins.add} does.',
    '   *',
    '   * @param name - of whom',
    '   * @returns false when it was there',
    '   * @throws E_TAKEN, and its kin',
    '   */'
  ].join('\n')
  t.is(prose(comment), 'Adds, as `Pins.add` does.\n\n`name`: of whom.\n\nReturns false when it was there.\n\nThrows E_TAKEN, and its kin.')
  t.is(prose('/** Removes it. @throws E_GONE */'), 'Removes it.\n\nThrows E_GONE.')
})
