import { readFile } from 'node:fs/promises'
import test from 'ava'
import { hostConfigErrors } from '../../config/host/errors.ts'
import { MOST_BYTES } from '../../config/host/load.ts'
import { rpcSettings } from '../../config/host/rpc.ts'
import { callErrors } from '../../core/binding/errors.ts'
import { blockErrors } from '../../core/blocks/errors.ts'
import { carErrors } from '../../core/car/errors.ts'
import { MOST_DIGITS } from '../../core/cid/base/big.ts'
import { cidErrors } from '../../core/cid/errors.ts'
import { digestLimits } from '../../core/cid/hashes.ts'
import { BUDGET } from '../../core/dag/codecs/cbor/decode.ts'
import { MAX_STRING } from '../../core/dag/codecs/cbor/tokens.ts'
import { dagErrors } from '../../core/dag/errors.ts'
import { MOST_LINKS } from '../../core/dag/pb.ts'
import { commonErrors } from '../../core/errors/common.ts'
import { ipnsErrors } from '../../core/ipns/errors.ts'
import { MAX_RECORD_SIZE } from '../../core/ipns/index.ts'
import { networkErrors } from '../../core/network/errors.ts'
import { MAX_KEYS_AT_ONCE } from '../../core/network/index.ts'
import { MOST_NAMED } from '../../core/network/refusals.ts'
import { PATIENCE } from '../../core/path/resolver.ts'
import { MAX_CHUNK } from '../../core/unixfs/chunker/index.ts'
import { unixfsErrors } from '../../core/unixfs/export/errors.ts'
import { MAX_FANOUT } from '../../core/unixfs/export/hamt.ts'
import { MOST_PATH } from '../../core/unixfs/export/tar.ts'
import { HASH_BITS } from '../../core/unixfs/export/trie.ts'
import { MOST_INLINE } from '../../core/unixfs/import/builder.ts'
import { importErrors } from '../../core/unixfs/import/errors.ts'
import { FILE_LINKS } from '../../core/unixfs/import/layout.ts'
import { hostErrors } from '../../host/errors.ts'
import { httpErrors } from '../../host/http/errors.ts'
import { MAX_UNDER_WAY, MAX_WAITING, TURN_MS } from '../../host/http/listen/pipelined.ts'
import { rpcErrors } from '../../host/http/listener-errors.ts'
import { STALLED_MS } from '../../host/http/responses.ts'
import { MOST_TUNNELS } from '../../host/http/tunnel.ts'
import { FOREIGN_STOP_MS, PATIENCE_MS } from '../../host/plugins/lifecycle.ts'
import { settingRows } from '../../host/reference/settings-table.ts'
import { multipartErrors } from '../../host/rpc/upload/errors.ts'
import { MOST_EMPTY } from '../../plugins/bitswap/exchange.ts'
import { MOST_FIELDS } from '../../plugins/bitswap/wire/decode.ts'
import { LONGEST_CID, MOST_BYTES as MOST_MESSAGE, MOST_PARTS } from '../../plugins/bitswap/wire/message.ts'
import { catalogue } from '../../plugins/catalogue.ts'
import { MAX_DEPTH } from '../../plugins/configuration/json.ts'
import { MOST_LINE as MOST_RULE } from '../../plugins/denylist/file.ts'
import { MOST_HEADER } from '../../plugins/denylist/header.ts'
import {
  LONGEST as LONGEST_NAME,
  LONGEST_SEARCH,
  MOST_FOUND,
  MOST_OPENED,
  MOST_OPENED_BYTES,
  MOST_SEARCHED
} from '../../plugins/gateway/answer/entries.ts'
import { MOST_TEXT } from '../../plugins/gateway/answer/preview.ts'
import { MOST_BYTES as MOST_REDIRECTS, MOST_TARGET } from '../../plugins/gateway/redirects/rules.ts'
import { MOST_FILENAME } from '../../plugins/gateway/reply/disposition.ts'
import { LONGEST_MESSAGE } from '../../plugins/gateway/reply/reply.ts'
import { LONGEST_CID as LONGEST_NAMED, MOST_ROOTS } from '../../plugins/gateway/request/content.ts'
import { MOST_EMPTY_PARTS, MOST_EMPTY as MOST_EMPTY_RPCS, MOST_READ } from '../../plugins/gossipsub/guard.ts'
import { MOST_DEPTH } from '../../plugins/mfs/file/storage.ts'
import { MOST_ADOPTED } from '../../plugins/mfs/partial.ts'
import { MOST_BYTES as MOST_ANSWER } from '../../plugins/name/dns/https.ts'
import { MOST_STEPS } from '../../plugins/name/resolve/resolver.ts'
import { MOST_FAILED } from '../../plugins/network/dial/backoff.ts'
import { MOST_OF_WEB_SOCKET } from '../../plugins/network/dial/websocket.ts'
import { STREAM_WINDOW } from '../../plugins/network/libp2p/node.ts'
import { CONNECTION, PEER, UNREAD } from '../../plugins/network/limits/memory.ts'
import { MOST_EXCESS, MOST_STREAMS } from '../../plugins/network/peers/excess.ts'
import { MOST_BYTES as MOST_LINE, MOST_LINES } from '../../plugins/network/streams/negotiation.ts'
import { KEYS_IN_BATCH } from '../../plugins/provide/keys.ts'
import { ATTEMPTS, HOLDERS, MAX_LOOKUPS, MAX_SEARCHED_BITS } from '../../plugins/provide/sweep.ts'
import { MAX_HINTS } from '../../plugins/retrieval/get.ts'
import { MAX_HEADER_BYTES, MAX_REDIRECTS } from '../../plugins/retrieval/request.ts'
import { MOST_IN_BUCKET, MOST_IN_TABLE } from '../../plugins/routing/dht/diversity.ts'
import { KEPT, MOST_ANSWER as MOST_ANSWER_OF_PEER, MOST_KEPT, MOST_OF_PEER, MOST_PROVIDERS } from '../../plugins/routing/dht/messenger.ts'
import { ORIGIN_PART, PEER_PART } from '../../plugins/routing/dht/records/kept.ts'
import { LONGEST_ADDRESS, MOST_ADDRESSES, MOST_CHARACTERS } from '../../plugins/routing/dht/records/records.ts'
import { MOST_IN_LOOP } from '../../plugins/storage-rocksdb/blocks/segments.ts'
import { MOST_PENDING } from '../../plugins/storage-rocksdb/database/database.ts'
import { LARGEST_BATCH } from '../../plugins/storage-rocksdb/journal/journal.ts'
import { SLOW } from '../../plugins/storage-rocksdb/pace.ts'
import { KEPT_INODES, MOST_MERGED } from '../../plugins/storage-rocksdb/room.ts'

interface Row {
  readonly what: string
  readonly value: string
  readonly setting: string
  readonly passed: string
}

const page = await readFile(new URL('../../../docs/limits.md', import.meta.url), 'utf8')
const rows: Row[] = page
  .split('\n')
  .filter(line => /^\| (?!What |---)/.test(line))
  .map(line => {
    const [what = '', value = '', setting = '', passed = ''] = line
      .slice(1, -1)
      .split(' |')
      .map(cell => cell.trim().replace(/^\| ?/, ''))
    return { what, value, setting: setting.replaceAll('`', ''), passed }
  })

const plugins = await Promise.all(catalogue.map(async entry => (await entry.load()).default))
const settings = [
  ...settingRows(rpcSettings, 'rpc.').filter(({ key }) => key.startsWith('rpc.limits.')),
  ...plugins.flatMap(({ name, settings: schema }) => (schema === undefined ? [] : settingRows(schema, `plugins.${name}.`)))
]

test('every limit of the page that can be set has the default of its setting', t => {
  for (const { what, value, setting } of rows) {
    if (setting === '') continue
    const found = settings.find(({ key }) => key === setting)
    t.is(found?.default, value.split(' ')[0], `${what}: ${setting}`)
  }
})

test('every setting that is a limit stands on the page', t => {
  const limits = settings.filter(
    ({ key }) => key.startsWith('rpc.limits.') || key.startsWith('plugins.content.read.') || /\.max[A-Z]\w*$/.test(key)
  )
  t.deepEqual(
    limits.map(({ key }) => key).filter(key => !rows.some(({ setting }) => setting === key)),
    []
  )
})

test('every limit of the page that cannot be set is the one that is held', t => {
  const held = rows.filter(({ setting }) => setting === '').map(({ value }) => value)
  const known = [
    MAX_UNDER_WAY,
    TURN_MS,
    MAX_WAITING,
    MOST_TUNNELS,
    STALLED_MS,
    PATIENCE_MS,
    FOREIGN_STOP_MS,
    MOST_FILENAME,
    MOST_TEXT,
    LONGEST_NAMED,
    MOST_ROOTS,
    LONGEST_NAME,
    MOST_OPENED,
    MOST_OPENED_BYTES,
    LONGEST_SEARCH,
    MOST_SEARCHED,
    MOST_FOUND,
    LONGEST_MESSAGE,
    MOST_REDIRECTS,
    MOST_TARGET,
    MOST_RULE,
    MOST_HEADER,
    MAX_RECORD_SIZE,
    MOST_STEPS,
    MOST_ANSWER,
    MOST_LINKS,
    BUDGET,
    MAX_STRING,
    `${FILE_LINKS.least} to ${FILE_LINKS.most}`,
    MOST_INLINE,
    `${digestLimits.least} to ${digestLimits.most}`,
    HASH_BITS,
    MAX_FANOUT,
    MOST_PATH,
    MAX_CHUNK,
    PATIENCE,
    MOST_FAILED,
    `${MOST_LINES}; ${MOST_LINE}`,
    MOST_OF_WEB_SOCKET,
    MOST_STREAMS,
    MOST_EXCESS,
    `${CONNECTION.most}; ${PEER.most}`,
    `${UNREAD * CONNECTION.most}; ${UNREAD * PEER.most}`,
    MOST_NAMED,
    `${MOST_ANSWER_OF_PEER}; ${MOST_PROVIDERS}`,
    `${MOST_OF_PEER}; ${MOST_KEPT}; ${KEPT}`,
    `${MOST_IN_TABLE}; ${MOST_IN_BUCKET}`,
    `${PEER_PART}; ${ORIGIN_PART}`,
    `${MOST_ADDRESSES}; ${LONGEST_ADDRESS}; ${MOST_CHARACTERS}`,
    HOLDERS,
    `${MAX_LOOKUPS}; ${MAX_SEARCHED_BITS}`,
    ATTEMPTS,
    `${MAX_KEYS_AT_ONCE}; ${KEYS_IN_BATCH}`,
    MOST_MESSAGE,
    MOST_PARTS,
    MOST_FIELDS,
    MOST_EMPTY,
    LONGEST_CID,
    MAX_HEADER_BYTES,
    MAX_REDIRECTS,
    MAX_HINTS,
    `${MOST_READ}; ${MOST_EMPTY_PARTS}`,
    MOST_EMPTY_RPCS,
    STREAM_WINDOW,
    MOST_DIGITS,
    MOST_BYTES,
    MAX_DEPTH,
    LARGEST_BATCH,
    MOST_PENDING,
    SLOW,
    MOST_IN_LOOP,
    KEPT_INODES,
    MOST_MERGED,
    MOST_DEPTH,
    MOST_ADOPTED
  ]
  t.deepEqual(held, known.map(String))
})

test('every error of the page is one that there is', t => {
  const lists = [
    hostErrors,
    hostConfigErrors,
    blockErrors,
    carErrors,
    cidErrors,
    commonErrors,
    dagErrors,
    ipnsErrors,
    unixfsErrors,
    importErrors,
    callErrors,
    rpcErrors,
    httpErrors,
    multipartErrors,
    networkErrors
  ]
  const codes = new Set([...lists, ...plugins.map(({ errors }) => errors)].flatMap(list => Object.keys(list)))
  const named = rows.flatMap(({ passed }) => passed.match(/E_[A-Z_0-9]+/g) ?? [])
  t.true(named.length > 20)
  t.deepEqual(
    named.filter(code => !codes.has(code)),
    []
  )
})
