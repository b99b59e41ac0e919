/**
 * Blocks in files that are encrypted with AES-256-GCM, in the place of the built-in store. Keys and pins stay where they are.
 *
 * ```yaml
 * plugins:
 *   encrypted-blocks: { keyFile: /etc/holdfast/blocks.key }
 * services:
 *   blockstore: encrypted-blocks
 * ```
 *
 * @packageDocumentation
 */
import { isAbsolute, join } from 'node:path'
import { Blockstore, plugin, Repo, service, settings } from 'holdfast'
import { z } from 'zod'
import { errors } from './errors.ts'
import { EncryptedBlockstore } from './store.ts'

const schema = z.strictObject({
  folder: z.string().min(1).default('encrypted-blocks').describe("Where the files lie, from the repo's folder."),
  keyFile: z.string().min(1).default('blocks.key').describe("The file with the key, 32 bytes in base64, from the repo's folder.")
})

export default plugin({
  name: 'encrypted-blocks',
  api: '^1',
  about: 'Keeps blocks in encrypted files.',
  settings: schema,
  provides: [
    service(Blockstore, {
      needs: { repo: Repo, own: settings<typeof schema>() },
      make({ repo, own }) {
        const inRepo = (path: string) => {
          if (isAbsolute(path)) return path
          if (repo.path === undefined) throw errors.E_NO_FOLDER()
          return join(repo.path, path)
        }
        return new EncryptedBlockstore(inRepo(own.folder), inRepo(own.keyFile))
      }
    })
  ],
  errors
})
