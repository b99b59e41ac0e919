/** Files of plugins that cannot be loaded: each is told with its place, and the host goes on without. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { command, nothing, service, token } from '../../core/index.ts'
import type { HostConfiguration } from '../../host/configuration.ts'
import { temporaryFolder } from '../helpers/folder.ts'
import { named } from '../helpers/plugin.ts'
import { messages, sound } from './beside.ts'
import { answer, bare, running } from './parts.ts'

const Kept = token<object>('test-kept')

test('an import that fails is told with its file and line, where Node knows them', async t => {
  const folder = await temporaryFolder(t)
  const told: ReadonlyArray<readonly [name: string, text: string, reason: string | RegExp]> = [
    ['throws.mjs', 'const a = undefined\na.b()', "Cannot read properties of undefined (reading 'b') (FOLDER/throws.mjs:3)"],
    [
      'name.mjs',
      "import { nonsense } from 'node:fs'",
      "The requested module 'node:fs' does not provide an export named 'nonsense' (FOLDER/name.mjs:2)"
    ],
    [
      'reads.mjs',
      "import { readFileSync } from 'node:fs'\nconst read = () => readFileSync('/nowhere')\nread()",
      /ENOENT: .* \(FOLDER\/reads\.mjs:3\)$/
    ],
    [
      'lacks.mjs',
      "import 'acme-lacking'",
      "Cannot find package 'acme-lacking' imported from FOLDER/lacks.mjs: install it there (npm install acme-lacking), or mend the name in the import"
    ],
    [
      'astray.mjs',
      "import './nowhere.mjs'",
      "Cannot find module 'FOLDER/nowhere.mjs' imported from FOLDER/astray.mjs: mend the path in the import"
    ],
    [
      'path.mjs',
      `import { command } from '${new URL('../../core/index.js', import.meta.url).href}'\n\ncommand.read('A B', {})`,
      "command 'A B': a path is words joined by '/', e.g. 'pin/add' (FOLDER/path.mjs:4)"
    ],
    [
      'form.mjs',
      `import { command } from '${new URL('../../core/index.js', import.meta.url).href}'\n\ncommand({ path: 'a/b', access: 'admin' })`,
      "command 'a/b': write command.admin('a/b', { … }), with neither 'path' nor 'access' in the object (FOLDER/form.mjs:4)"
    ]
  ]
  for (const [name, text, reason] of told) {
    await writeFile(join(folder, name), `/* api: '^1' */\n${text}`)
    const error = await t.throwsAsync(bare({ base: folder, configuration: { plugins: { [`./${name}`]: 'on' } } }))
    const message = error.message.replaceAll(folder, 'FOLDER')
    if (typeof reason === 'string') t.is(message, `plugin './${name}' (./${name}) failed while it was imported: ${reason}`)
    else t.regex(message, reason)
  }
})

test('TypeScript that Node cannot run is told with file, line and what to do', async t => {
  const folder = await temporaryFolder(t)
  let count = 0
  const told = async (text: string) => {
    const part = `part${count++}.ts`
    await writeFile(join(folder, `of-${part}`), `/* api: '^1' */\nimport './${part}'\n`)
    await writeFile(join(folder, part), text)
    const error = await t.throwsAsync(bare({ base: folder, configuration: { plugins: { [`./of-${part}`]: 'on' } } }))
    return error.message.replaceAll(`${folder}/${part}`, 'PART')
  }
  for (const text of [
    'export {}\n\nenum A { B }',
    'export {}\n\nclass A { constructor(private b: number) {} }',
    'export {}\n\nnamespace A { export const b = 1 }',
    'declare const d: (...given: unknown[]) => void\n\n@d class A {}\nexport { A }'
  ])
    t.regex(
      await told(text),
      /\(PART:3\): Node leaves the types out .* without enums, namespaces, parameter properties and decorators, or compile it/
    )
  t.regex(
    await told("import { PathLike } from 'node:fs'\nexport const path: PathLike = ''"),
    /'PathLike' \(PART:1\): if PathLike is a type, write 'type PathLike' in the import$/
  )
  t.regex(await told('export const a: = 3'), /\(PART:1\)$/)
  t.regex(await told('export {}\n\nconst a = 1; const a = 2'), /'a' has already been declared \(PART:3\)$/)
})

test('a file that throws when it is imported is listed with the reason, and the others run', async t => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'bomb.mjs'), "/* api: '^1' */ throw new Error('too soon')")
  const plugins = [named('sound', { commands: [answer('sound', 'well')] })]
  const host = await running(t, {
    base: folder,
    plugins,
    configuration: { plugins: { './bomb.mjs': 'on' }, onFailure: { './bomb.mjs': 'continue' } }
  })
  t.is(await sound(host), 'well')
  const { state, reason } = host.plugins().find(({ name }) => name === './bomb.mjs')!
  t.deepEqual(
    [state, reason],
    ['failed', `plugin './bomb.mjs' (./bomb.mjs) failed while it was imported: too soon (${join(folder, 'bomb.mjs')}:1)`]
  )
})

test('where an import fails and the host goes on, it goes on without what was to come from that plugin, and says so', async t => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'bomb.mjs'), "/* api: '^1' */ throw new Error('too soon')")
  const Lost = token<object>('test-lost')
  const use = command.read('use', { help: '', needs: { lost: Lost }, reply: nothing(), run() {} })
  const plugins = [
    named('sound', { commands: [answer('sound', 'well')] }),
    named('user', { commands: [use, answer('say', 'user')] }),
    named('inside', { provides: [service(Kept, { make: () => ({}) })] })
  ]
  const configuration: HostConfiguration = {
    plugins: { './bomb.mjs': 'on' },
    onFailure: 'continue',
    services: { 'test-kept': ['./bomb.mjs', 'inside'], 'test-lost': 'bomb' },
    commands: { say: { from: './bomb.mjs' }, 'bomb/now': 'off' }
  }
  const host = await bare({ base: folder, plugins, configuration, logLevel: 'warn', log: { targets: [] } })
  const logged = messages(host.logs.tail())
  await host.start()
  t.is(await sound(host), 'well')
  t.is(host.service(Kept), undefined, 'what was to guard is not left out')
  const failed = /plugin '\.\/bomb\.mjs' \(.*\) failed while it was imported: too soon/
  await t.throwsAsync(host.call('use'), { message: new RegExp(`needs the service 'test-lost', which nobody provides: .*${failed.source}`) })
  await t.throwsAsync(host.call('say'), { message: new RegExp(`it is to come from './bomb.mjs': it failed .*${failed.source}`) })
  await host.stop()
  const lines = await logged
  t.is(lines.length, 2)
  t.regex(lines[0]!, failed)
  t.is(lines[1], "the configuration: no command matches 'bomb/now', unless './bomb.mjs', which failed, declares it")
})
