/** CARs and tar archives. */
import { UnixFS } from 'ipfs-unixfs'
import { RAW } from '../../../../core/cid/index.ts'
import { content, MISSING, putFile, putFolder, putUnixFs } from './content.ts'
import { asked, hold, type Row, type Setting } from './table.ts'

const CAR = 'application/vnd.ipld.car'
const car = (path: string) => `${path}?format=car`
const entity = (path: string, bytes: string) => `${path}?format=car&dag-scope=entity&entity-bytes=${bytes}`
const BAD = (parameter: string, status = 400) => ({ path: `/ipfs/{FILE}?format=car&${parameter}`, status })

const ROWS: readonly Row[] = [
  {
    title: 'the whole graph, in the order of a walk',
    path: car('/ipfs/{ROOT}'),
    status: 200,
    roots: ['{ROOT}'],
    blocks: ['{ROOT}', '{INNER}', '{FILE}', '{C0}', '{C1}', '{C2}'],
    fields: {
      'content-type': `${CAR}; version=1; order=dfs; dups=n`,
      'content-disposition': /^attachment; filename="{ROOT}\.car"/,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'none',
      'cache-control': 'public, max-age=29030400, immutable'
    }
  },
  {
    title: 'with the way to it',
    path: car('/ipfs/{ROOT}/inner/file'),
    status: 200,
    roots: ['{FILE}'],
    blocks: ['{ROOT}', '{INNER}', '{FILE}', '{C0}', '{C1}', '{C2}'],
    fields: { 'content-disposition': /^attachment; filename="{ROOT}_file\.car"/ }
  },
  { title: 'a block that comes again is there once', path: car('/ipfs/{TWICE}'), status: 200, blocks: ['{TWICE}', '{C0}'] },
  {
    title: 'or each time',
    path: `${car('/ipfs/{TWICE}')}&car-dups=y`,
    status: 200,
    blocks: ['{TWICE}', '{C0}', '{C0}'],
    fields: { 'content-type': /dups=y$/ }
  },
  { title: 'block: that block', path: `${car('/ipfs/{ROOT}/inner')}&dag-scope=block`, status: 200, blocks: ['{ROOT}', '{INNER}'] },
  {
    title: 'entity of a folder: no children',
    path: `${car('/ipfs/{ROOT}/inner')}&dag-scope=entity`,
    status: 200,
    blocks: ['{ROOT}', '{INNER}']
  },
  {
    title: 'entity of a file: all of it',
    path: `${car('/ipfs/{FILE}')}&dag-scope=entity`,
    status: 200,
    blocks: ['{FILE}', '{C0}', '{C1}', '{C2}']
  },
  {
    title: 'entity of a symlink: it is not followed',
    path: `${car('/ipfs/{WITH_LINK}/latest')}&dag-scope=entity`,
    status: 200,
    blocks: ['{WITH_LINK}', '{LINK}']
  },
  { title: 'entity of data: its block', path: `${car('/ipfs/{DAGCBOR}')}&dag-scope=entity`, status: 200, blocks: ['{DAGCBOR}'] },
  { title: 'all of data: what it links to', path: car('/ipfs/{DAGCBOR}'), status: 200, blocks: ['{DAGCBOR}', '{A}'] },
  { title: 'identity CIDs are not written', path: car('/ipfs/{INLINE}'), status: 200, blocks: ['{INLINE}'] },
  { title: 'the probe', path: car('/ipfs/bafkqaaa'), status: 200, roots: ['bafkqaaa'], blocks: [] },
  { title: 'the probe, by HEAD', method: 'HEAD', path: car('/ipfs/bafkqaaa'), status: 200, text: '' },

  { title: 'bytes of a file', path: entity('/ipfs/{FILE}', '10:19'), status: 200, blocks: ['{FILE}', '{C1}'] },
  { title: 'up to its end', path: entity('/ipfs/{FILE}', '10:*'), status: 200, blocks: ['{FILE}', '{C1}', '{C2}'] },
  { title: 'from its end', path: entity('/ipfs/{FILE}', '-1:*'), status: 200, blocks: ['{FILE}', '{C2}'] },
  { title: 'from before its beginning', path: entity('/ipfs/{FILE}', '-9999:-11'), status: 200, blocks: ['{FILE}', '{C0}', '{C1}'] },
  { title: 'beyond its end', path: entity('/ipfs/{FILE}', '25:9999'), status: 200, blocks: ['{FILE}', '{C2}'] },
  { title: 'behind its end: as its block', path: entity('/ipfs/{FILE}', '30:*'), status: 200, blocks: ['{FILE}'] },
  { title: 'bytes alone mean the entity', path: `${car('/ipfs/{FILE}')}&entity-bytes=0:9`, status: 200, blocks: ['{FILE}', '{C0}'] },
  { title: 'bytes of a folder are the folder', path: `${car('/ipfs/{ROOT}')}&entity-bytes=0:9`, status: 200, blocks: ['{ROOT}'] },
  { title: 'what is around them need not be there', path: entity('/ipfs/{HOLES}', '10:19'), status: 200, blocks: ['{HOLES}', '{C1}'] },
  {
    title: 'bytes without a colon',
    ...BAD('dag-scope=entity&entity-bytes=5'),
    text: `invalid ${CAR} entity-bytes URL parameter: range must have two numbers separated with ':'\n`
  },
  {
    title: 'bytes the other way round',
    ...BAD('entity-bytes=5:2'),
    text: `invalid ${CAR} entity-bytes URL parameter: cannot have an entity-bytes range where 'from' is after 'to'\n`
  },
  { title: 'so from the end', ...BAD('entity-bytes=-2:-5') },
  { title: 'a scope that is none', ...BAD('dag-scope=some'), text: `unsupported ${CAR} dag-scope URL parameter: "some"\n` },
  { title: 'a version that is none', ...BAD('car-version=2'), text: `unsupported ${CAR} version: only version=1 is supported\n` },
  asked('so in Accept', '/ipfs/{FILE}', { accept: `${CAR};version=2` }, 400),
  { title: 'an order that is none', ...BAD('car-order=bfs') },
  { title: 'duplicates neither y nor n', ...BAD('car-dups=1') },

  {
    title: 'a path that leads nowhere: the blocks that show it',
    path: car('/ipfs/{ROOT}/none'),
    status: 200,
    roots: ['bafkqaaa'],
    blocks: ['{ROOT}']
  },
  { title: 'a root that is not there', path: car('/ipfs/{MISSING}'), status: 404 },
  { title: 'nor by HEAD', method: 'HEAD', path: car('/ipfs/{MISSING}'), status: 404, text: '' },
  {
    title: 'Range is ignored',
    path: car('/ipfs/{FILE}'),
    headers: { range: 'bytes=0-0' },
    status: 200,
    blocks: ['{FILE}', '{C0}', '{C1}', '{C2}']
  },
  {
    title: 'of a name',
    path: car('/ipns/site.example/inner'),
    status: 200,
    blocks: ['{ROOT}', '{INNER}', '{FILE}', '{C0}', '{C1}', '{C2}'],
    fields: { 'cache-control': undefined }
  },

  {
    title: 'tar of a folder',
    path: '/ipfs/{ROOT}?format=tar',
    status: 200,
    entries: ['{ROOT}', '{ROOT}/inner', '{ROOT}/inner/file'],
    fields: {
      'content-type': 'application/x-tar',
      'content-disposition': /^attachment; filename="{ROOT}\.tar"/,
      etag: 'W/"{ROOT}.x-tar"',
      'x-content-type-options': 'nosniff',
      'accept-ranges': undefined
    }
  },
  { title: 'tar of a folder below', path: '/ipfs/{ROOT}/inner?format=tar', status: 200, entries: ['{INNER}', '{INNER}/file'] },
  { title: 'tar of a file', path: '/ipfs/{ROOT}/inner/file?format=tar', status: 200, entries: ['{FILE}'] },
  { title: 'tar of a raw block', path: '/ipfs/{C0}?format=tar', status: 200, entries: ['{C0}'] },
  { title: 'tar with a symlink', path: '/ipfs/{WITH_LINK}?format=tar', status: 200, entries: ['{WITH_LINK}', '{WITH_LINK}/latest'] },
  { title: 'tar by HEAD', method: 'HEAD', path: '/ipfs/{ROOT}?format=tar', status: 200, text: '' },
  { title: 'tar: Range is ignored', path: '/ipfs/{C0}?format=tar', headers: { range: 'bytes=0-0' }, status: 200, entries: ['{C0}'] },
  { title: 'tar: a name that stays inside', path: '/ipfs/{INSIDE}?format=tar', status: 200, entries: ['{INSIDE}', '{INSIDE}/bar'] },
  ...['OUTSIDE_1', 'OUTSIDE_2', 'OUTSIDE_3', 'OUTSIDE_4'].map(
    (name): Row => ({
      title: `tar: a name that would leave the root (${name})`,
      path: `/ipfs/{${name}}?format=tar`,
      status: 500,
      text: /^relative UnixFS paths outside the root are now allowed, use CAR instead\n$/
    })
  ),
  { title: 'tar: a name that would leave it behind a megabyte', path: '/ipfs/{OUTSIDE_LATE}?format=tar', status: 200, isCut: true },
  {
    title: 'tar of data',
    path: '/ipfs/{DAGCBOR}?format=tar',
    status: 406,
    text: /^format "application\/x-tar" requested but {DAGCBOR} is no file and no folder/
  },
  { title: 'tar of dag-pb without UnixFS', path: '/ipfs/{NOT_UNIXFS}?format=tar', status: 406 },
  { title: 'tar of what is not there', path: '/ipfs/{MISSING}?format=tar', status: 404 },
  { title: 'tar that lacks a block behind a megabyte is broken off', path: '/ipfs/{LACKING}?format=tar', status: 200, isCut: true }
]

async function graphs(t: Parameters<typeof content>[0]): Promise<Setting> {
  const fixed: Record<string, string> = {}
  const made = await content(t)
  const store = async ({ at, names }: Setting) => {
    const chunks = await Promise.all(['a', 'b', 'c'].map(letter => at.put(Buffer.alloc(10, letter), RAW)))
    const [C0, C1, C2] = chunks as [string, string, string]
    const FILE = await putFile(at, chunks, 10)
    const INNER = await putFolder(at, [{ name: 'file', cid: FILE }])
    const large = await at.put(Buffer.alloc(1 << 20, 'large'), RAW)
    const outside = (name: string) => putFolder(at, [{ name, cid: C0 }])
    return {
      ...names,
      C0,
      C1,
      C2,
      FILE,
      INNER,
      ROOT: await putFolder(at, [{ name: 'inner', cid: INNER }]),
      TWICE: await putFolder(at, [
        { name: 'a', cid: C0 },
        { name: 'b', cid: C0 }
      ]),
      HOLES: await putFile(at, [MISSING, C1, MISSING], 10),
      INLINE: await putUnixFs(at, new UnixFS({ type: 'directory' }), [{ name: 'inline', cid: 'bafkqac3imvwgy3zao5xxe3de' }]),
      INSIDE: await outside('foo/../bar'),
      OUTSIDE_1: await outside('..'),
      OUTSIDE_2: await outside('../x'),
      OUTSIDE_3: await outside('foo/../../x'),
      OUTSIDE_4: await putFolder(at, [{ name: '..', cid: await outside('../x') }]),
      OUTSIDE_LATE: await putFolder(at, [
        { name: 'a', cid: large },
        { name: 'b', cid: await outside('../../x') }
      ]),
      LACKING: await putFolder(at, [
        { name: 'a', cid: large },
        { name: 'b', cid: MISSING }
      ])
    }
  }
  fixed['site.example'] = `/ipfs/${(await store(made)).ROOT}`
  const { at, names } = await content(t, { others: { name: { dns: 'none', fixed } } })
  return { at, names: await store({ at, names }) }
}

hold('archives', graphs, ROWS)
