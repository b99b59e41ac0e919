import test from 'ava'
import { entrances, namesTaken, notPublic, publicNames } from './public.ts'

const sources: Readonly<Record<string, string>> = {
  'core/index.ts': "export * from './services/index.ts'\nexport { p } from './params.ts'",
  'core/services/index.ts': "export * from './pins.ts'",
  'core/services/pins.ts': "import { secret } from '../secret.ts'\nexport const Pins = secret",
  'core/cid/index.ts': "export { type CidEncoder, cidEncoder } from './encoder.ts'"
}
const known = publicNames(
  entrances({
    '.': { types: './dist/core/index.d.ts' },
    './cid': { types: './dist/core/cid/index.d.ts' },
    './package.json': './package.json'
  }).values(),
  path => sources[path] ?? ''
)
const wrong = (source: string, from = 'plugins/pins/commands/add.ts') =>
  namesTaken(from, source)
    .map(taken => notPublic(taken, known))
    .filter(problem => problem !== undefined)

for (const [what, source] of [
  ['a name that no entrance hands on', "import { p, secret } from '../../../core/params.ts'"],
  ['a type that no entrance hands on', "import type { Encoding } from '../../../core/cid/encoder.ts'"],
  ['a file of which an entrance hands on a part, as a whole', "import * as encoder from '../../../core/cid/encoder.ts'"],
  ['a file that is loaded late', "const { x } = await import('../../../core/secret.ts')"],
  ['what an entrance only imports itself', "import { secret } from '../../../core/secret.ts'"],
  ['a name among others on lines of their own', "import {\n  cidEncoder,\n  type Hidden\n} from '../../../core/cid/encoder.ts'"]
] as const) {
  test(`a built-in that takes ${what} is refused`, t => t.is(wrong(source).length, 1))
}

test('what an entrance hands on is taken from wherever it stands', t => {
  for (const source of [
    "import { p as parameters } from '../../../core/params.ts'",
    "import { Pins } from '../../../core/services/pins.ts'",
    "import { anything } from '../../../core/index.ts'",
    "import { type CidEncoder, cidEncoder } from '../../../core/cid/encoder.ts'",
    "import { table } from '../table.ts'",
    "// import { secret } from '../../../core/secret.ts'"
  ])
    t.deepEqual(wrong(source), [])
  t.deepEqual(wrong("import { secret } from '../../core/secret.ts'", 'host/cli/run/run.ts'), [])
})
