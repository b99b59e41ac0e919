import { hook, WriteBarrier, whenOver } from '../../core/index.ts'

/** Calls that store blocks hold a lease until their answer has ended. Those that remove some wait for such calls. */
export const lease = hook({
  only: ({ blocks }) => blocks === 'stores',
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
