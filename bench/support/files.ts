import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const SIZE = 1024
const IN_FOLDER = 500

/** Writes files of 1 KiB that another seed has not, in folders below one. @returns its path */
export async function smallFiles(path: string, count: number, seed: number): Promise<string> {
  for (let i = 0; i < count; i++) {
    const inner = join(path, `d${Math.floor(i / IN_FOLDER)}`)
    if (i % IN_FOLDER === 0) await mkdir(inner, { recursive: true })
    await writeFile(join(inner, `file-${i}.txt`), Buffer.alloc(SIZE, `file ${i} of ${seed}, `))
  }
  return path
}
