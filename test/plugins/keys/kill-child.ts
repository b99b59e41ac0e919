import { generateIdentity } from '../../../core/keys/index.ts'
import { FolderFiles } from '../../../plugins/keys/folder.ts'
import { KeyStore } from '../../../plugins/keys/store.ts'

/** Run as a process of its own: makes keys and renames each onto one name, and says what is done, until it is killed. */
const [path = ''] = process.argv.slice(2)
const store = new KeyStore(new FolderFiles(path, console), { identity: await generateIdentity() })
for (let i = 0; ; i++) {
  await store.generate(`key ${i}`)
  await store.generate(`next ${i}`)
  const { key } = await store.rename(`next ${i}`, 'last', { force: true })
  process.stdout.write(`${i} ${key.peerId}\n`)
}
