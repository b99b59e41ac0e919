import { readFile } from 'node:fs/promises'
import test from 'ava'
import { MetricsReport } from '../../../core/index.ts'
import { createHost } from '../../../host/index.ts'
import { collectors } from '../../../plugins/diagnostics/profile/collectors.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { parsePrometheus } from '../../helpers/prometheus.ts'

/** The rows of the table below a heading, cell by cell. */
async function rowsBelow(heading: string): Promise<string[][]> {
  const text = await readFile(new URL('../../../../docs/operating.md', import.meta.url), 'utf8')
  const section = text.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!
  const rows = section.split('\n').filter(line => line.startsWith('| `'))
  return rows.map(row =>
    row
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim())
  )
}

const bare = (cell: string) => cell.replaceAll('`', '')

test('docs/operating.md lists every metric of a node with its type and labels', async t => {
  const host = await createHost({ repo: { path: await temporaryFolder(t), init: {} } })
  t.teardown(() => host.stop())
  await host.start()
  await host.call('version')
  host.requestCounts.requests.set('get 200', 1)
  const report = host.service(MetricsReport)!
  await report.text()
  const { types, lines } = parsePrometheus(await report.text())
  const rows = new Map((await rowsBelow('Metrics')).map(([name, type, labels]) => [bare(name!), { type, labels: bare(labels!) }]))
  // only Linux tells the process's files
  const here = process.platform === 'linux' ? [...rows.keys()] : [...rows.keys()].filter(name => types.has(name))
  t.deepEqual([...types.keys()].sort(), here.sort())
  for (const [name, type] of types) {
    t.is(rows.get(name)?.type, type, name)
    const { labels } = lines.find(line => line.name.startsWith(name) && !line.name.slice(name.length).includes('_total'))!
    t.is(
      rows.get(name)?.labels,
      Object.keys(labels)
        .filter(label => label !== 'le')
        .join(', '),
      name
    )
  }
})

test('docs/operating.md lists every collector with its file', async t => {
  const rows = (await rowsBelow('Profiles')).map(([name, file]) => [bare(name!), bare(file!)])
  t.deepEqual(
    rows,
    [...collectors].map(([name, { file }]) => [name, file])
  )
})
