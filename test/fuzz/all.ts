import { codecs } from './codecs.ts'
import { configuration } from './configuration.ts'
import type { Fuzz } from './fuzz.ts'
import { names } from './names.ts'
import { pinning } from './pinning.ts'
import { streams } from './streams.ts'
import { words } from './words.ts'

/** Every property of every parser. */
export const properties: readonly Fuzz[] = [...codecs, ...names, ...words, ...streams, ...pinning, ...configuration]
