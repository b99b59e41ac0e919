/** Codecs that read no more than they do by default. */
import { gitRawCodec, gitZlibCodec } from '../../../core/dag/codecs/git/git.ts'
import { dagJsonCodec, jsonCodec } from '../../../core/dag/codecs/json/json.ts'

export const dagJson = dagJsonCodec()
export const json = jsonCodec()
export const gitRaw = gitRawCodec()
export const gitZlib = gitZlibCodec()
