import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { createHost } from '../../../../host/index.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { linesOf } from '../../../helpers/log.ts'
import { until } from '../../../helpers/until.ts'
import { encoded, put } from './entries.ts'
import { endOf } from './repo.ts'

test('a node that finds its journal damaged says in an error line which file it keeps, where it is broken, and how much is lost', async t => {
  const path = join(await temporaryFolder(t), 'repo')
  const host = () => createHost({ repo: { path, init: {} } })
  const first = await host()
  await first.start()
  await first.stop()
  const end = await endOf(t, path)
  const [one, two, three] = [1, 2, 3].map(i => {
    const writes = [put(`k${i}`, 'v')]
    return encoded({ number: end.number + i, before: end.number + i - 1, writes })
  }) as [Buffer, Buffer, Buffer]
  const broken = join(path, 'journal', `${String(end.first).padStart(8, '0')}.journal`)
  await writeFile(broken, Buffer.concat([one, Buffer.alloc(two.byteLength), three]))
  const again = await host()
  const lines = linesOf(again, 'storage-rocksdb')
  await again.start()
  t.teardown(() => again.stop())
  await until('the error line', () => lines.length > 0)
  const { level, msg, ...about } = JSON.parse(lines[0]!) as Record<string, unknown>
  t.like(about, { path: `${broken}.damaged`, at: one.byteLength, behind: 1 })
  t.is(level, 50)
  t.regex(String(msg), /the last small writes were lost/)
})
