import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import type { Command, Reply } from '../../../core/index.ts'
import type { Input } from './inputs.ts'
import { toolName } from './names.ts'
import { inputSchema } from './schema.ts'

const ANSWERS: Readonly<Record<Reply['kind'], string>> = {
  value: 'Answers one JSON object.',
  stream: 'Answers JSON objects, one a line.',
  either: 'Answers one JSON object, or JSON objects, one a line, as the inputs have it.',
  bytes: 'Answers content: text, or a resource.',
  nothing: 'Answers nothing when it is done.'
}

/** A command as clients are told of it. */
export function describedTool(command: Command, inputs: readonly Input[]): Tool {
  const { path, access, blocks, help, reply, body, status } = command
  const removes = blocks === 'removes'
  const readOnly = access === 'read' && !removes
  return {
    name: toolName(path),
    title: path.replaceAll('/', ' '),
    description: [help, ...(status === 'regular' ? [] : [`This command is ${status}.`]), ANSWERS[reply.kind]].join(' '),
    inputSchema: inputSchema(inputs, body),
    annotations: { readOnlyHint: readOnly, ...(readOnly ? {} : { destructiveHint: removes || access === 'admin' }) }
  }
}
