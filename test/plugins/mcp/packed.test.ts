/** The package as a stranger gets it, who has none of the libraries that this protocol takes. */
import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import test from 'ava'
import { packedProject } from '../../helpers/process/packed.ts'
import { call } from './world.ts'

test('an installed package speaks the protocol without the libraries of a checkout', async t => {
  const project = await packedProject()
  t.teardown(() => project.remove())
  await t.throwsAsync(access(join(project.folder, 'node_modules', '@modelcontextprotocol')))
  const config = join(project.folder, 'holdfast.config.json')
  await writeFile(config, JSON.stringify({ repo: './data', plugins: { mcp: 'on' } }))
  await project.run(process.execPath, [project.holdfast, '--config', config, 'init'])
  const client = new Client({ name: 'witness', version: '1.2.3' })
  const args = [project.holdfast, '--config', config, 'mcp']
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: project.folder }))
  t.teardown(() => client.close())
  t.true((await client.listTools()).tools.length > 20)
  t.falsy((await call(client, 'version')).isError)
})
