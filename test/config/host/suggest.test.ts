import test from 'ava'
import { didYouMean, distance } from '../../../config/host/suggest.ts'

test('the distance of two words counts inserted, left out, other and swapped letters', t => {
  t.is(distance('pins', 'pins'), 0)
  t.is(distance('pin', 'pins'), 1)
  t.is(distance('pinss', 'pins'), 1)
  t.is(distance('pans', 'pins'), 1)
  t.is(distance('pisn', 'pins'), 1)
  t.is(distance('', 'pins'), 4)
  t.is(distance('pins', ''), 4)
  t.is(distance('routing', 'swarm'), distance('swarm', 'routing'))
})

test('a near miss is answered with what may have been meant, a far one with nothing', t => {
  const known = ['pins', 'content', 'storage-rocksdb']
  t.is(didYouMean('pin', known), " — did you mean 'pins'?")
  t.is(didYouMean('Contnet', known), " — did you mean 'content'?")
  t.is(didYouMean('storage-rockdb', known), " — did you mean 'storage-rocksdb'?")
  t.is(didYouMean('gateway', known), '')
  t.is(didYouMean('x', known), '')
})
