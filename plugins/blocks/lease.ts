import { hook, WriteBarrier, whenOver } from '../../core/index.ts'

/** They remove blocks, and wait for those who hold a lease. */
const REMOVERS: ReadonlySet<string> = new Set(['block/rm', 'repo/gc'])

/** Calls that may write hold a lease until their answer has ended. */
export const lease = hook({
  only: ({ access, path }) => access === 'write' && !REMOVERS.has(path),
  needs: { barrier: WriteBarrier },
  async run({ barrier }, call, next) {
    const held = barrier.hold({ signal: call.signal })
    try {
      return whenOver(call, await next(), () => held.release())
    } catch (error) {
      held.release()
      throw error
    }
  }
})
