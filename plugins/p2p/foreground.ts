import { z } from 'zod'
import { p, stream } from '../../core/index.ts'
import type { RunningService } from './service.ts'

/** The option of later versions than 0.28: without it the answer is empty, as there. */
export const foreground = p.bool('Answer until it is closed, and close it when the caller leaves.').alias('f')

const reply = z.object({
  Status: z.enum(['active', 'closing']),
  Protocol: z.string(),
  Address: z.string().describe('As the caller gave it.')
})

export const foregroundReply = stream(reply)

type Line = z.input<typeof reply>

/** @param of - what a service that listens says */
export const foregroundText = (of: (line: Line) => string) => (line: Line) =>
  line.Status === 'active' ? `${of(line)}, waiting for interrupt...\n` : `${line.Protocol} was closed\n`

/** The answer of a call that lasts as long as its service. */
export async function* inForeground(running: RunningService, said: Omit<Line, 'Status'>, signal: AbortSignal): AsyncGenerator<Line> {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => leave(), { once: true })
  if (signal.aborted) leave()
  try {
    yield { Status: 'active', ...said }
    await Promise.race([running.ended, left])
    if (!signal.aborted) yield { Status: 'closing', ...said }
  } finally {
    await running.end()
  }
}
