/** A RocksDB that takes its time, and calls to the system that fail in the loop itself. */
import fs from 'node:fs'
import RocksDB from 'rocksdb'

type Flushing = { flush(): Promise<void> }

/** Has `around` stand for each batch that RocksDB is to write, until the function that this returns is called. */
export function batches(around: (write: () => Promise<void>) => Promise<void>): () => void {
  const prototype = RocksDB.prototype as unknown as { write(...how: unknown[]): Flushing }
  const real = prototype.write
  const held = new Set<Flushing>()
  prototype.write = function (...how) {
    const batch = Reflect.apply(real, this, how) as Flushing
    const { flush } = Object.getPrototypeOf(batch) as Flushing
    batch.flush = () => around(() => Reflect.apply(flush, batch, []))
    held.add(batch)
    return batch
  }
  return () => {
    prototype.write = real
    // The binding uses its batches again.
    for (const batch of held) Reflect.deleteProperty(batch, 'flush')
  }
}

/** RocksDB takes no batch until `release` is called. */
export function holdBatches() {
  const gate = Promise.withResolvers<void>()
  const restore = batches(async write => {
    await gate.promise
    await write()
  })
  return {
    release() {
      restore()
      gate.resolve()
    }
  }
}

type InLoop = 'writeSync' | 'writevSync' | 'ftruncateSync' | 'openSync'

/** Has `around` stand for a call that the loop waits for, until the function that this returns is called. */
export function inLoop(name: InLoop, around: (call: (...args: unknown[]) => unknown, ...args: unknown[]) => unknown): () => void {
  const real = fs[name] as (...args: unknown[]) => unknown
  Object.assign(fs, { [name]: (...args: unknown[]) => around((...all) => Reflect.apply(real, fs, all), ...args) })
  return () => void Object.assign(fs, { [name]: real })
}

/** Has each write that the loop waits for take so many milliseconds more, until `restore` is called. */
export function slowWrites(milliseconds: number, name: 'writeSync' | 'writevSync' = 'writeSync') {
  let count = 0
  const restore = inLoop(name, (call, ...args) => {
    count++
    const until = performance.now() + milliseconds
    while (performance.now() < until);
    return call(...args)
  })
  return { restore, count: () => count }
}
