import { decode } from '@ipld/dag-pb'
import test from 'ava'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { readPb } from '../../../../core/dag/pb.ts'
import { decodeUnixFs } from '../../../../core/unixfs/export/data.ts'
import { encodeFile, encodeHamtData, encodeNode } from '../../../../core/unixfs/import/encode.ts'
import { UnixFsType } from '../../../../core/unixfs/types.ts'

const cid = CID.parse('bafkreiczsvnl7rii4wvvm2dmyj4i2oagntkuacrrqhzefzeyrxut5jcqoy')
const dataOf = (block: Uint8Array) => readPb(block).data

test('the sizes of a file and of its parts are told exactly, whatever their bits', t => {
  const bits = Array.from({ length: 51 }, (_, i) => 2 ** (i + 1))
  for (const share of [0, 1, 3e9, 2 ** 52 + 2 ** 31, ...bits, ...bits.map(size => size - 1)]) {
    const block = encodeFile([share, 5].map(share => ({ cid, size: share, share })))
    const told = decodeUnixFs(dataOf(block))
    t.deepEqual([told.fileSize, told.exactBlockSizes()], [share + 5, [share, 5]], String(share))
    t.deepEqual(
      decode(block).Links.map(({ Tsize }) => Tsize),
      [share, 5],
      String(share)
    )
  }
})

test('the message of a node is that of ipfs-unixfs', t => {
  const data = Buffer.from('some data')
  const parts = [262144, 262144, 1].map(share => ({ cid, size: share, share }))
  const blockSizes = parts.map(({ share }) => BigInt(share))
  const same = (made: Uint8Array | undefined, message: UnixFS) => t.deepEqual(Buffer.from(made!), Buffer.from(message.marshal()))
  same(dataOf(encodeFile(parts)), new UnixFS({ type: 'file', blockSizes }))
  same(dataOf(encodeFile([])), new UnixFS({ type: 'file' }))
  same(dataOf(encodeNode({ type: UnixFsType.File, data })), new UnixFS({ type: 'file', data }))
  same(dataOf(encodeNode({ type: UnixFsType.File, data }, parts)), new UnixFS({ type: 'file', data, blockSizes }))
  same(dataOf(encodeNode({ type: UnixFsType.Raw, data })), new UnixFS({ type: 'raw', data }))
  same(dataOf(encodeNode({ type: UnixFsType.Symlink, data })), new UnixFS({ type: 'symlink', data }))
  const shard = new UnixFS({ type: 'hamt-sharded-directory', data, hashType: 0x22n, fanout: 256n })
  same(encodeHamtData(data, 0x22, 256), shard)
})

test('data that are empty are told, as the reference does', t => {
  const message = dataOf(encodeNode({ type: UnixFsType.File, data: new Uint8Array(0) }))
  t.is(Buffer.from(message!).toString('hex'), '080212001800')
})
