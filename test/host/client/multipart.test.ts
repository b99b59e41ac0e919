import test from 'ava'
import type { Part } from '../../../host/client/content.ts'
import { Multipart } from '../../../host/client/multipart.ts'

async function headsOf(...parts: Part[]): Promise<string[]> {
  let text = ''
  for await (const chunk of new Multipart(parts).stream()) text += Buffer.from(chunk).toString()
  return [...text.matchAll(/Content-Disposition: form-data; (.*)\r\n/g)].map(([, disposition]) => disposition!)
}

test('permissions and times go with the name of the field, where they are told', async t => {
  t.deepEqual(
    await headsOf(
      { path: 'a', content: '' },
      { path: 'b c', content: '', mode: 0o4640, mtime: { seconds: 5, nanoseconds: 250_000_000 } },
      { path: 'd', mtime: { seconds: -1n } },
      { path: 'e', content: '', mode: 0 }
    ),
    [
      'name="file"; filename="a"',
      'name="file?mode=040000640&mtime=5&mtime-nsecs=250000000"; filename="b%20c"',
      'name="file?mtime=-1"; filename="d"',
      'name="file?mode=00"; filename="e"'
    ]
  )
})
