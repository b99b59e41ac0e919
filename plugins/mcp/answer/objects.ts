import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { Call, Command, Encoding } from '../../../core/index.ts'
import type { McpLimits } from '../settings.ts'
import { failed } from './failed.ts'
import type { Watch } from './watch.ts'

type TextLimits = Pick<McpLimits, 'items' | 'characters'>

/** One object: its JSON, and the object itself. Of one that is too long the beginning of its JSON. */
export function objectAnswer(value: unknown, encoding: Encoding, { characters }: TextLimits): CallToolResult {
  const json = encoding.value(value).trimEnd()
  if (json.length > characters) {
    const note = `The JSON was cut after ${characters} of ${json.length} characters (plugins.mcp.limits.characters).`
    return { content: [text(cut(json, characters)), text(note)] }
  }
  const parsed: unknown = JSON.parse(json)
  const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
  return { content: [text(json)], ...(isObject ? { structuredContent: parsed as Record<string, unknown> } : {}) }
}

interface FlowParts {
  readonly command: Command
  readonly call: Call
  readonly encoding: Encoding
  readonly limits: TextLimits
  readonly watch: Watch | undefined
}

/** Objects as they come, one a line, up to the limits: what is beyond is not waited for, and the call behind it ends. */
export async function flowAnswer(items: AsyncIterable<unknown> | Iterable<unknown>, parts: FlowParts): Promise<CallToolResult> {
  const { command, call, encoding, limits, watch } = parts
  const lines: string[] = []
  let characters = 0
  let failures = 0
  let note: string | undefined
  const shown = () => [...(lines.length > 0 ? [text(lines.join('\n'))] : []), ...(note === undefined ? [] : [text(note)])]
  try {
    for await (const item of items) {
      if (watch?.item(item)) continue
      if (lines.length === limits.items) {
        note = `There is more: the answer was ended after ${limits.items} objects (plugins.mcp.limits.items).`
        break
      }
      const line = encoding.item(item).trimEnd()
      if (command.failure?.of(item, call) !== undefined) failures++
      if (characters + line.length > limits.characters) {
        if (lines.length === 0) lines.push(cut(line, limits.characters))
        note = `There is more: the answer was ended after ${limits.characters} characters (plugins.mcp.limits.characters).`
        break
      }
      characters += line.length + 1
      lines.push(line)
    }
  } catch (error) {
    return failed(error, shown())
  }
  if (failures > 0) return failed(new Error(command.failure?.message), shown())
  return { content: shown() }
}

function text(of: string): { type: 'text'; text: string } {
  return { type: 'text', text: of }
}

/** The beginning of a text, no character of it halved. */
function cut(of: string, most: number): string {
  return of
    .slice(0, most)
    .toWellFormed()
    .replace(/\ufffd$/, '')
}
