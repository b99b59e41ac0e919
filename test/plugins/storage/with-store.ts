import test, { type ExecutionContext } from 'ava'
import type { Backend, Opened } from './backends.ts'

/** Tests with a store of the kind that is open while they run, whose titles say the kind first. */
export function testsWith(backend: Backend) {
  return (title: string, run: (t: ExecutionContext, opened: Opened) => Promise<void>): void =>
    test(`${backend.name}: ${title}`, async t => {
      const opened = await backend.open()
      try {
        await run(t, opened)
      } finally {
        await opened.close()
      }
    })
}
