import { z } from 'zod'

const time = z.string().describe('RFC 3339 in seconds; empty for never.')

export const dhtStat = z.object({
  Name: z.string(),
  Buckets: z.array(
    z.object({
      LastRefresh: time,
      Peers: z
        .array(z.object({ ID: z.string(), Connected: z.boolean(), AgentVersion: z.string(), LastUsefulAt: time, LastQueriedAt: time }))
        .nullable()
    })
  )
})
