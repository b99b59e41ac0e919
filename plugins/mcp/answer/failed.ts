import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { messageOf, type NodeError } from '../../../core/index.ts'

/** An error as a tool's answer: its message and its code. What had come before it stands in front of it. */
export function failed(error: unknown, before: CallToolResult['content'] = []): CallToolResult {
  const message = messageOf(error)
  const { code } = error as Partial<NodeError>
  const known = typeof code === 'string' ? code : 'E_UNEXPECTED'
  return {
    isError: true,
    content: [...before, { type: 'text', text: `${message} (${known})` }],
    structuredContent: { error: { code: known, message } }
  }
}
