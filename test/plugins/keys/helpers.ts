import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { generateIdentity } from '../../../core/keys/index.ts'
import { FolderFiles } from '../../../plugins/keys/folder.ts'
import { SealedFiles } from '../../../plugins/keys/sealed-files.ts'
import { KeyStore } from '../../../plugins/keys/store.ts'

const self = await generateIdentity()

/** The path of a keystore that is not made yet, in a folder that goes with the test. */
export async function keystore(t: ExecutionContext, { made = false } = {}): Promise<string> {
  const repo = await mkdtemp(join(tmpdir(), 'keys-'))
  t.teardown(() => rm(repo, { recursive: true, force: true }))
  const path = join(repo, 'keystore')
  if (made) await mkdir(path, { mode: 0o700 })
  return path
}

/** A started store over a folder, and what it logged. */
export async function storeIn(path: string, passphrase?: string): Promise<KeyStore & { readonly logged: string[] }> {
  const logged: string[] = []
  const files = new FolderFiles(path, { error: (message: string) => logged.push(message) } as never)
  const store = new KeyStore(new SealedFiles(files, async () => passphrase), { identity: self })
  await store.start(new AbortController().signal, () => {})
  return Object.assign(store, { logged })
}
