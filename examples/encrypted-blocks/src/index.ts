/**
 * Blocks that are encrypted with AES-256-GCM on their way into any other blockstore. Keys, pins and all else stay as they are.
 *
 * ```yaml
 * plugins:
 *   encrypted-blocks: { keyFile: /etc/holdfast/blocks.key }
 * services:
 *   blockstore: [encrypted-blocks, storage-rocksdb]
 * ```
 *
 * @packageDocumentation
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Blockstore, fastBlocks, inner, type Kept, plugin, Repo, service, settings } from 'holdfast'
import { z } from 'zod'
import { Cipher } from './cipher.ts'
import { errors } from './errors.ts'
import { readKey } from './key.ts'
import { EncryptedBlockstore } from './store.ts'

const schema = z.strictObject({
  keyFile: z.string().min(1).default('blocks.key').describe("The file with the key, 32 bytes in base64, from the repo's folder.")
})

/** The folder in the repo in which this plugin kept files of its own before it wrapped other stores. */
const FORMER_FOLDER = 'encrypted-blocks'

/** Another key, or none, would not see the blocks. @throws E_FORMER_FOLDER, E_NO_FOLDER, E_KEY_MISSING, E_KEY_FORM */
function keeps({ keyFile }: z.output<typeof schema>, repo: string): Kept {
  const former = join(repo, FORMER_FOLDER)
  if (existsSync(former)) throw errors.E_FORMER_FOLDER(former)
  return { layout: { type: 'encrypted-blocks', cipher: 'aes-256-gcm', key: new Cipher(readKey(keyFile, repo)).fingerprint } }
}

export default plugin({
  name: 'encrypted-blocks',
  api: '^1',
  about: 'Encrypts blocks on their way into another store.',
  settings: schema,
  provides: [
    service(Blockstore, {
      needs: { store: inner(Blockstore), repo: Repo, settings: settings<typeof schema>() },
      keeps,
      make: ({ store, repo, settings }) => new EncryptedBlockstore(fastBlocks(store), new Cipher(readKey(settings.keyFile, repo.path)))
    })
  ],
  errors
})
