import test from 'ava'
import { Batch } from '../../../../core/unixfs/index.ts'

test('a batch is handed over once it has so many items, or so much text', t => {
  const batch = new Batch<string>(3)
  t.is(batch.add('a', 1), undefined)
  t.is(batch.add('b', 1), undefined)
  t.deepEqual(batch.add('c', 1), ['a', 'b', 'c'])
  t.is(batch.add('d', 65_535), undefined)
  t.deepEqual(batch.add('e', 1), ['d', 'e'])
  t.is(batch.add('f', 1), undefined)
  t.deepEqual(batch.take(), ['f'])
  t.deepEqual(batch.take(), [])
})
