import { z } from 'zod'

const size = z.union([z.int(), z.bigint()]).meta({ go: 'uint64' })

const link = z.object({ Name: z.string(), Hash: z.string(), Size: size, Type: z.string() })

export const object = z.object({ Hash: z.string(), Size: size, Type: z.string(), Links: z.array(link).nullable() })

export type FileObject = z.output<typeof object>

export type FileLink = z.output<typeof link>
