import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { NodeHost } from '../../host/host.ts'
import { itemsOf, upload } from '../../host/testing.ts'

const cases = fileURLToPath(new URL('../../../test/cases/', import.meta.url))

/** Imports a CAR of `test/cases`. @returns its root */
export async function importCase(host: NodeHost, name: string): Promise<string> {
  const body = upload(await readFile(`${cases}${name}.car`))
  const [item] = await itemsOf<{ Root: { Cid: { '/': string } } }>(await host.call('dag/import', { body }))
  return item!.Root.Cid['/']
}
