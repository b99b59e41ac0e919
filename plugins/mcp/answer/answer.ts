import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { Call, Calls, Command, Result } from '../../../core/index.ts'
import type { McpLimits } from '../settings.ts'
import { flowAnswer, objectAnswer } from './objects.ts'
import { contentsOf, gathered, isText } from './octets.ts'
import { uriOf } from './resource-uri.ts'
import type { Watch } from './watch.ts'

interface AnswerParts {
  readonly calls: Pick<Calls, 'encoding'>
  readonly command: Command
  readonly call: Call
  readonly words: readonly string[]
  readonly limits: McpLimits
  readonly watch: Watch | undefined
}

/**
 * The answer of a tool, made of its command's result.
 *
 * @throws E_MCP_ANSWER_SIZE, and what the command's answer breaks off with before anything of it can be shown
 */
export async function answerOf(result: Result, { calls, command, call, words, limits, watch }: AnswerParts): Promise<CallToolResult> {
  const { path } = command
  switch (result.kind) {
    case 'nothing':
      return { content: [{ type: 'text', text: 'done' }] }
    case 'value':
      return objectAnswer(result.value, calls.encoding(command, 'json')!, limits)
    case 'stream':
      return flowAnswer(result.items, { command, call, encoding: calls.encoding(command, 'json')!, limits, watch })
    case 'bytes': {
      const ranges = 'offset' in command.options && 'length' in command.options
      const onBytes = (size: number, total: number | undefined) => watch?.received(size, total)
      const octets = await gathered(result, { what: path, most: limits.bytes, ranges, onBytes })
      if (isText(octets) && octets.length <= limits.characters) return { content: [{ type: 'text', text: octets.toString() }] }
      return { content: [{ type: 'resource', resource: contentsOf(uriOf(path, words), octets) }] }
    }
  }
}
