import type { ExecutionContext } from 'ava'
import { itemsOf, upload } from '../../../../host/testing.ts'
import type { Setting } from '../rows/table.ts'
import { world } from '../world.ts'

export const FILES = {
  'index.html': '<!doctype html><title>home</title>',
  'a.txt': 'hello gateway\n',
  'big.bin': Buffer.alloc(5000, 'abcdefghij'),
  'page.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'json-without-ending': '{"a":[1,2]}',
  empty: '',
  'docs/read me.md': '# Read\n',
  'docs/<img src=x onerror=alert(1)>"\'#?%.txt': 'escaped',
  'docs/ż.txt': 'polish',
  'bad/index.html/inner.txt': 'a folder named as a page'
}

/** A node with the files, and with `CBOR`, a block of dag-cbor that links to them. */
export async function site(t: Pick<ExecutionContext, 'teardown'>): Promise<Setting> {
  const at = await world(t)
  const { root, cids } = await at.add(FILES, { cidVersion: 1, chunker: 'size-1000' })
  const link = (cid: string) => ({ '/': cid })
  const value = { text: '<b>', map: { inner: link(cids.get('a.txt')!), n: 1 }, site: link(root) }
  const [item] = await itemsOf<{ Cid: { '/': string } }>(await at.host.call('dag/put', { body: upload(JSON.stringify(value)) }))
  return { at, names: { SITE: root, A: cids.get('a.txt')!, DOCS: cids.get('docs')!, CBOR: item!.Cid['/'] } }
}
