import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { createHost } from '../../host/index.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

test('the example runs from its file, as a configuration names it', async t => {
  const host = await createHost({ catalogue: [], base: root, configuration: { plugins: { './examples/hello.ts': 'on' } } })
  await host.start()
  t.deepEqual(await host.call('hello', { args: ['you'] }), { Message: 'hello, you' })
  t.deepEqual(await host.call('hello', { args: ['you'], options: { loud: true } }), { Message: 'HELLO, you!' })
  await host.stop()
})

test('the README shows the example as it is', async t => {
  const [readme, example] = await Promise.all(['README.md', 'examples/hello.ts'].map(file => readFile(`${root}${file}`, 'utf8')))
  t.true(readme!.includes(example!.slice(example!.indexOf('import'))))
})
