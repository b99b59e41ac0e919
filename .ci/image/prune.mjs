// `node prune.mjs [PLATFORM-ARCH]`: leaves RocksDB's binary for one platform, by default this one, of those that its package brings: 161 MB of them.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const wanted = process.argv[2] ?? `${process.platform}-${process.arch}`
const folder = fileURLToPath(new URL('../../node_modules/rocksdb/prebuilds/', import.meta.url))
if (!existsSync(`${folder}${wanted}`)) throw new Error(`rocksdb has no binary for ${wanted}: ${readdirSync(folder).join(', ')}`)
for (const platform of readdirSync(folder)) if (platform !== wanted) rmSync(`${folder}${platform}`, { recursive: true })
