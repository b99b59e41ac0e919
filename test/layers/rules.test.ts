import test from 'ava'
import { importsOf, violation } from './rules.ts'

const wrong = (from: string, source: string) => importsOf(from, source).map(violation).filter(Boolean)

for (const [what, from, source] of [
  ['core importing the host', 'core/dag/walk.ts', "import { x } from '../../host/host.ts'"],
  ['core importing a plugin, by type only', 'core/index.ts', "export type { X } from '../plugins/pins/store.ts'"],
  ['core importing HTTP', 'core/index.ts', "import http from 'node:http'"],
  ['config importing a plugin', 'config/load.ts', "import x from '../plugins/catalogue.ts'"],
  ['a plugin importing the host', 'plugins/pins/index.ts', "import { \n  a, \n  b\n } from '../../host/host.ts'"],
  ['a plugin importing another', 'plugins/pins/index.ts', "const { walk } = await import('../dag/walk.ts')"],
  ['a plugin importing the configuration', 'plugins/pins/index.ts', "import '../../config/node/defaults.ts'"],
  ['the host naming a plugin', 'host/host.ts', "import pins from '../plugins/pins/index.ts'"]
] as const) {
  test(`${what} is refused`, t => t.is(wrong(from, source).length, 1))
}

test('imports that point down pass', t => {
  t.deepEqual(
    wrong(
      'plugins/pins/commands/add.ts',
      "import { p } from '../../../core/index.ts'\nimport { x } from '../store.ts'\nimport { z } from 'zod'"
    ),
    []
  )
  t.deepEqual(wrong('host/host.ts', "import { catalogue } from '../plugins/catalogue.ts'\nimport { y } from '../config/host/load.ts'"), [])
  t.deepEqual(wrong('plugins/catalogue.ts', "const load = () => import('./pins/index.ts')"), [])
  t.deepEqual(wrong('core/index.ts', "/** import { x } from '../host/host.ts' */\n// import y from '../host/y.ts'"), [])
})
