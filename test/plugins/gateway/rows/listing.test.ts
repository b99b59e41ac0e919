/** Pages that list folders. */
import { encode, prepare } from '@ipld/dag-pb'
import { UnixFS } from 'ipfs-unixfs'
import { CID } from 'multiformats/cid'
import { DAG_PB } from '../../../../core/cid/index.ts'
import { fieldOf } from '../../../core/unixfs/export/blocks.ts'
import { content, MISSING, putFolder } from './content.ts'
import { hold, onHost, type Row, type Setting } from './table.ts'

const docs = '/ipfs/{SITE}/docs/'

const ROWS: readonly Row[] = [
  {
    title: 'its title is the path',
    path: docs,
    status: 200,
    text: /<title>\/ipfs\/{SITE}\/docs\/<\/title>/,
    fields: { 'content-type': 'text/html' }
  },
  {
    title: 'Index of, each part of the path a link',
    path: '/ipfs/{SITE}/docs/%C4%85/',
    status: 200,
    text: /Index of \/ipfs\/<a href="\/ipfs\/{SITE}">{SITE}<\/a>\/<a href="\/ipfs\/{SITE}\/docs">docs<\/a>\/<a href="\/ipfs\/{SITE}\/docs\/%C4%85">ą<\/a>/
  },
  onHost(
    'to the gateway, where it is on a host of its own',
    '{SITE}.ipfs.localhost:8080',
    '/docs/%C4%85/',
    200,
    /Index of \/ipfs\/<a href="\/\/localhost:8080\/ipfs\/{SITE}">{SITE}<\/a>\/<a href="\/\/localhost:8080\/ipfs\/{SITE}\/docs">docs<\/a>\/<a href="\/\/localhost:8080\/ipfs\/{SITE}\/docs\/%C4%85">ą<\/a>/
  ),
  onHost(
    'to its own host, where it is a DNSLink',
    'site.example',
    '/docs/%C4%85/',
    200,
    /Index of \/ipns\/<a href="\/\/site\.example\/">site\.example<\/a>\/<a href="\/\/site\.example\/docs">docs<\/a>\/<a href="\/\/site\.example\/docs\/%C4%85">ą<\/a>/
  ),
  { title: 'a way up', path: docs, status: 200, text: /<a href="\/ipfs\/{SITE}\/docs\/\.\.">\.\.<\/a>/ },
  { title: 'none at the root', path: '/ipfs/{DOCS}/', status: 200, text: /^(?![\s\S]*">\.\.<\/a>)/ },
  {
    title: 'an entry',
    path: '/ipfs/{SITE}/docs/%C4%85/%C4%99/',
    status: 200,
    text: /<a href="\/ipfs\/{SITE}\/docs\/%C4%85\/%C4%99\/file-%C5%BA%C5%82\.txt">file-źł\.txt<\/a>/
  },
  onHost('an entry on a host of its own', '{SITE}.ipfs.localhost', '/docs/', 200, /<a href="\/docs\/x\.txt">x\.txt<\/a>/),
  {
    title: 'an entry by its CID',
    path: '/ipfs/{SITE}/docs/%C4%85/%C4%99/',
    status: 200,
    text: /<a class="ipfs-hash" translate="no" href="\/ipfs\/\w+\?filename=file-%25C5%25BA%25C5%2582\.txt">bafk…\w{4}<\/a>/
  },
  onHost(
    'by its CID at the gateway',
    '{SITE}.ipfs.localhost:8080',
    '/docs/',
    200,
    /<a class="ipfs-hash" translate="no" href="\/\/localhost:8080\/ipfs\/{X}\?filename=x\.txt">/
  ),
  onHost(
    'by its CID elsewhere, from a DNSLink',
    'site.example',
    '/docs/',
    200,
    /<a class="ipfs-hash" translate="no" href="https:\/\/cid\.ipfs\.tech\/#{X}" target="_blank" rel="noreferrer noopener">/
  ),
  {
    title: 'a name with marks of HTML',
    path: docs,
    status: 200,
    text: /<a href="\/ipfs\/{SITE}\/docs\/%3Cb%3E%22%27%23%3F%25\.txt">&lt;b&gt;&#34;&#39;#\?%\.txt<\/a>/
  },
  {
    title: 'a name that turns the direction of text turns no more than itself',
    path: docs,
    status: 200,
    text: /\na, code \{ unicode-bidi: isolate \}\n/
  },
  { title: 'sizes for people', path: '/ipfs/{SIZES}/', status: 200, text: />large<\/a>.*>1\.2 kB<[\s\S]*>small<\/a>.*>7 B</ },
  {
    title: 'names in the order of the links',
    path: '/ipfs/{SIZES}/',
    status: 200,
    text: />\/\/evil\.example\/x<[\s\S]*>large<[\s\S]*>small</
  },
  {
    title: 'a name that starts with slashes leads nowhere else',
    path: '/ipfs/{SIZES}/',
    status: 200,
    text: /<a href="\/ipfs\/{SIZES}\/%2F%2Fevil\.example%2Fx">/
  },
  { title: 'its own CID and size', path: '/ipfs/{SIZES}/', status: 200, text: /<dd>{SIZES}<\/dd>[\s\S]*<dd>1\.\d kB<\/dd>/ },
  {
    title: 'HEAD reads no more than it says',
    method: 'HEAD',
    path: '/ipfs/{SHARDED}/',
    status: 200,
    text: '',
    fields: { etag: /^"DirIndex-/ }
  },
  { title: 'a shard that is not there breaks it off', path: '/ipfs/{SHARDED}/', status: 200, isCut: true, text: /here\.txt/ },
  { title: 'what is listed need not be there', path: '/ipfs/{SIZES}/', status: 200, text: /large/ }
]

async function folders(t: Parameters<typeof content>[0]): Promise<Setting> {
  const { names: before } = await content(t)
  const { at, names } = await content(t, { others: { name: { dns: 'none', fixed: { 'site.example': `/ipfs/${before['SITE']}` } } } })
  const SIZES = await putFolder(at, [
    { name: 'small', cid: MISSING, size: 7 },
    { name: 'large', cid: MISSING, size: 1234 },
    { name: '//evil.example/x', cid: MISSING, size: 1 }
  ])
  const shard = new UnixFS({ type: 'hamt-sharded-directory', fanout: 256n, hashType: 0x22n, data: fieldOf([0x5d, 0x5e]) })
  const missing = CID.parse(MISSING)
  const Links = [
    { Name: '5Dhere.txt', Tsize: 1, Hash: missing },
    { Name: '5E', Tsize: 1, Hash: CID.createV1(DAG_PB, missing.multihash) }
  ]
  return { at, names: { ...names, SIZES, SHARDED: await at.put(encode(prepare({ Data: shard.marshal(), Links })), DAG_PB) } }
}

hold('listing', folders, ROWS)
