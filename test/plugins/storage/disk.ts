/**
 * Calls to the file system that tests hold up or fail. The store takes hold of them when it is loaded, so this module loads it: import
 * what uses the store from here, or load it after this one.
 */
import fs from 'node:fs'
import { promisify } from 'node:util'

type Call = 'open' | 'stat' | 'fdatasync' | 'close'

/** Stands for one kind of call: does it, or not, now or later. */
export type Around = (path: string, call: () => Promise<unknown>) => Promise<unknown>

const arounds = new Map<Call, Around>()
const paths = new Map<number, string>()

for (const name of ['open', 'stat', 'fdatasync', 'close'] as const) {
  const original = fs[name] as (...all: unknown[]) => void
  const promised = promisify(original) as (...all: unknown[]) => Promise<unknown>
  const replaced = (target: string | number, ...args: unknown[]) => {
    const callback = args.pop() as (error: unknown, value?: unknown) => void
    const call = () => promised(target, ...args)
    const path = typeof target === 'number' ? (paths.get(target) ?? '') : String(target)
    const done = arounds.get(name)?.(path, call) ?? call()
    done.then(
      value => {
        if (name === 'open') paths.set(value as number, path)
        callback(null, value)
      },
      error => callback(error)
    )
  }
  Object.assign(fs, { [name]: replaced })
}

const { openSync } = fs
Object.assign(fs, {
  openSync(path: string, ...how: [string, number?]) {
    const fd = openSync(path, ...how)
    paths.set(fd, path)
    return fd
  }
})

/** Has `around` stand for all such calls until the function that this returns is called. */
export function intercept(call: Call, around: Around): () => void {
  arounds.set(call, around)
  return () => void arounds.delete(call)
}

/** Holds up every such call on a path that `pattern` matches. */
export function holdUp(call: Call, pattern: RegExp) {
  const entered = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const stop = intercept(call, async (path, real) => {
    if (!pattern.test(path)) return real()
    entered.resolve()
    await gate.promise
    return real()
  })
  return {
    /** The first of them is there. */
    entered: entered.promise,
    /** They go on, and so do all later ones. */
    release() {
      stop()
      gate.resolve()
    },
    /** They fail, and later ones go on. */
    fail(error: Error) {
      stop()
      gate.reject(error)
    }
  }
}

export const { openRocks, segmentsOf } = await import('./backends.ts')
export const { Segments } = await import('../../../plugins/storage-rocksdb/blocks/segments.ts')
export const { OpenFiles } = await import('../../../plugins/storage-rocksdb/blocks/open-files.ts')
export const { Database } = await import('../../../plugins/storage-rocksdb/database/database.ts')
export const { mendRecords, recordsOf } = await import('../../../plugins/storage-rocksdb/journal/replay.ts')
export const { RocksDatastore } = await import('../../../plugins/storage-rocksdb/database/datastore.ts')
export const { BlockFiles } = await import('../../../plugins/storage-rocksdb/blocks/block-files.ts')
