import type { CallToolRequest, CallToolResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js'
import {
  type Caller,
  Calls,
  type CallValues,
  type Command,
  narrowed,
  type Result,
  type Token,
  token,
  type Words
} from '../../core/index.ts'
import { answerOf } from './answer/answer.ts'
import { failed } from './answer/failed.ts'
import { contentsOf, gathered } from './answer/octets.ts'
import { READER, readOf } from './answer/resource-uri.ts'
import { type Report, Watch } from './answer/watch.ts'
import { mcpErrors } from './errors.ts'
import { McpSettings } from './settings.ts'
import { type Toolbox, ToolboxToken } from './tools/toolbox.ts'

/** The caller and the time that a call may take. */
export interface CallContext {
  /** The caller with the grant of its secret, where it has one; the tool's narrows it. */
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
    const tool = this.#toolbox.get(name)
    const { command } = tool
    const { report, signal } = context
    const caller: Caller = { ...context.caller, grant: narrowed(tool.grant, context.caller.grant) }
    const words = this.#toolbox.said(tool, given)
    const { callValues, instead } = await this.#bind(command, words, caller)
    const request = { ...(report === undefined ? callValues : this.#watched(command, callValues, words)), caller, signal }
    const call = this.#calls.described(command, request)
    const watch = report && new Watch(command, call, report)
    try {
      const result = instead ?? (await this.#calls.run(command, request))
      return await answerOf(result, { calls: this.#calls, command, call, words: words.words, limits: this.#limits, watch })
    } catch (error) {
      this.#calls.report(command, error)
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
    const granted = { ...caller, grant: narrowed(grant, caller.grant) }
    const { callValues, instead } = await this.#bind(command, { words: [read.path], options: read.options }, granted)
    const result = instead ?? (await this.#calls.run(command, { ...callValues, caller: granted, signal }))
    if (result.kind !== 'bytes') throw mcpErrors.E_MCP_RESOURCE(uri)
    const octets = await gathered(result, { what: uri, most: this.#limits.bytes, ranges: true })
    return { contents: [contentsOf(uri, octets)] }
  }

  /**
   * The values that words stand for.
   *
   * @returns `instead`: what a hook answers to words that make no call
   * @throws what is wrong with them, or what a hook throws in its place
   */
  async #bind(command: Command, words: Words, caller: Caller): Promise<{ readonly callValues: CallValues; readonly instead?: Result }> {
    try {
      return { callValues: await this.#calls.bind(command, words) }
    } catch (error) {
      const instead = await this.#calls.malformed(command, { error, caller })
      const { defaults } = this.#calls.binding(command).options
      return {
        callValues: { args: {}, options: defaults, callerWords: { words: words.words, options: defaults }, body: undefined },
        instead
      }
    }
  }

  /** The same call with the options that make its command say how far it is, but for those that the client gave. */
  #watched(command: Command, callValues: CallValues, { options = [] }: Words): CallValues {
    const asks = command.progress?.asks
    if (asks === undefined) return callValues
    const table = this.#calls.binding(command).options
    const given = new Set(options.map(([name]) => table.find(name)?.key))
    const asked = Object.entries(asks(this.#calls.described(command, { ...callValues, caller: { transport: 'mcp' } })))
    const more = Object.fromEntries(asked.filter(([key]) => !given.has(key)))
    const { callerWords } = callValues
    return {
      ...callValues,
      options: { ...callValues.options, ...more },
      callerWords: { ...callerWords, options: { ...callerWords.options, ...more } }
    }
  }
}

export const ToolCallsToken: Token<ToolCalls> = token<ToolCalls>('mcp-calls')

/** The parts of tool calls. */
export const toolCallsNeeds = { calls: Calls, toolbox: ToolboxToken, settings: McpSettings } as const
