import type { CallToolRequest, CallToolResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js'
import { type Bound, type Caller, Calls, type Command, type Token, token, type Words, wireName } from '../../core/index.ts'
import { answerOf } from './answer/answer.ts'
import { failed } from './answer/failed.ts'
import { contentsOf, gathered } from './answer/octets.ts'
import { READER, readOf } from './answer/resource-uri.ts'
import { type Report, Watch } from './answer/watch.ts'
import { mcpErrors } from './errors.ts'
import { McpSettings } from './settings.ts'
import { type OfferedTool, type Toolbox, ToolboxToken } from './tools/toolbox.ts'

/** Who calls, and how long. */
export interface CallContext {
  /** Without its grant, which is the tool's. */
  readonly caller: Caller
  readonly signal: AbortSignal
  /** Where a client wants to know how far its call is. */
  readonly report?: ((report: Report) => void) | undefined
}

/** Tools called, resources read: from what a client sent to what it is answered. */
export class ToolCalls {
  readonly #calls: Calls
  readonly #toolbox: Toolbox
  readonly #limits: McpSettings['limits']

  constructor({ calls, toolbox, settings }: { calls: Calls; toolbox: Toolbox; settings: McpSettings }) {
    this.#calls = calls
    this.#toolbox = toolbox
    this.#limits = settings.limits
  }

  /**
   * Calls a tool. What its command fails with is an answer that says so.
   *
   * @throws for a tool that is not there, and for inputs that do not fit
   */
  async call({ name, arguments: given = {} }: CallToolRequest['params'], context: CallContext): Promise<CallToolResult> {
    const calls = this.#calls
    const tool = this.#toolbox.get(name)
    const { command } = tool
    const { report, signal } = context
    const caller: Caller = { ...context.caller, grant: tool.grant }
    const said = this.#toolbox.said(tool, given)
    let request = { ...(await this.#bound(command, said, caller)), caller, signal }
    if (report !== undefined) {
      const asked = this.#asked(tool, request, said)
      if (asked.length > 0)
        request = { ...(await this.#bound(command, { ...said, options: [...(said.options ?? []), ...asked] }, caller)), caller, signal }
    }
    const call = calls.described(command, request)
    const watch = report && new Watch(command, call, report)
    try {
      const result = await calls.run(command, request)
      return await answerOf(result, { calls, command, call, words: said.words, limits: this.#limits, watch })
    } catch (error) {
      calls.report(command, error)
      return failed(error)
    } finally {
      watch?.end()
    }
  }

  /**
   * The content of a file, or of a part of it.
   *
   * @throws E_MCP_RESOURCE, E_MCP_NOT_OFFERED, E_MCP_ANSWER_SIZE, and what keeps it from being read
   */
  async read(uri: string, { caller, signal }: CallContext): Promise<ReadResourceResult> {
    const read = readOf(uri)
    if (read === undefined) throw mcpErrors.E_MCP_RESOURCE(uri)
    const { command, grant } = this.#toolbox.get(READER)
    const granted = { ...caller, grant }
    const bound = await this.#bound(command, { words: [read.path], options: read.options }, granted)
    const result = await this.#calls.run(command, { ...bound, caller: granted, signal })
    if (result.kind !== 'bytes') throw mcpErrors.E_MCP_RESOURCE(uri)
    const octets = await gathered(result, { what: uri, most: this.#limits.bytes, ranges: true })
    return { contents: [contentsOf(uri, octets)] }
  }

  async #bound(command: Command, words: Words, caller: Caller): Promise<Bound> {
    try {
      return await this.#calls.bind(command, words)
    } catch (error) {
      return this.#calls.malformed(command, { error, caller })
    }
  }

  /** Options that make a command say how far it is, but for those that the client gave. */
  #asked({ command }: OfferedTool, request: Bound & CallContext, { options = [] }: Words): Array<readonly [string, string]> {
    const asked = command.progress?.asks?.(this.#calls.described(command, request)) ?? {}
    const table = this.#calls.binding(command).options
    const given = new Set(options.map(([name]) => table.find(name)))
    return Object.entries(asked)
      .map(([key, value]) => [wireName(key, command.options[key]!.spec), String(value)] as const)
      .filter(([name]) => !given.has(table.find(name)))
  }
}

export const ToolCallsToken: Token<ToolCalls> = token<ToolCalls>('mcp-calls')

/** What tool calls are made of. */
export const toolCallsNeeds = { calls: Calls, toolbox: ToolboxToken, settings: McpSettings } as const
