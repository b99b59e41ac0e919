import type { Known } from './shape.ts'

/** Today's excesses over the bounds of the tree's shape. The list gets shorter only: what is within its bound may not stay in it. */
export const known: Known = {
  lines: {
    'core/dag/codecs/cbor-decode.ts': 302,
    'core/dag/codecs/json-decode.ts': 344,
    'core/dag/walk/tree-walk.ts': 343,
    'plugins/mount/fuse/tree.ts': 349,
    'plugins/network/network.ts': 302,
    'plugins/storage-rocksdb/segments.ts': 345,
    'plugins/storage-rocksdb/storage.ts': 359,
    'test/collection/history.ts': 305,
    'test/e2e/trust.test.ts': 360,
    'test/host/broken.test.ts': 387,
    'test/host/client/gateway/gateway.test.ts': 412,
    'test/host/rpc/connection.test.ts': 324,
    'test/host/rpc/response/reply.test.ts': 313,
    'test/hostile/requests.test.ts': 315,
    'test/plugins/gateway/trustless.test.ts': 310,
    'test/plugins/pins/collector.test.ts': 322,
    'test/plugins/storage/rocksdb.test.ts': 338,
    'test/plugins/storage/segments.test.ts': 371
  },
  folders: {
    bench: 26,
    core: 21,
    'core/errors': 20,
    'core/services': 26,
    'plugins/name': 19,
    'plugins/network': 37,
    'plugins/pins': 27,
    'plugins/routing/dht': 16,
    'plugins/storage-rocksdb': 29,
    'test/helpers': 21,
    'test/hostile': 19,
    'test/plugins/gateway': 22,
    'test/plugins/repo': 16,
    'test/plugins/storage': 32
  },
  circles: []
}
