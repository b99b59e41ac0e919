import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import {
  type Body,
  Calls,
  type Command,
  type Grant,
  Log,
  type Logger,
  matchesPath,
  type Token,
  token,
  type Words
} from '../../../core/index.ts'
import { mcpErrors } from '../errors.ts'
import { McpSettings } from '../settings.ts'
import { admission, patternOf } from './admission.ts'
import { describedTool } from './describe.ts'
import { bodyOf } from './files.ts'
import { FILES, type Input, inputsOf } from './inputs.ts'
import { toolName } from './names.ts'
import { type ToolInput, wordsOf } from './words.ts'

/** A command that is offered. */
interface OfferedTool {
  readonly command: Command
  readonly inputs: readonly Input[]
  readonly grant: Grant
  readonly declaration: Tool
}

/** Tools in one answer of a list. */
export const PAGE = 100

/** The commands of a node as tools: those that the settings admit. */
export class Toolbox {
  readonly #calls: Calls
  readonly #settings: McpSettings
  readonly #log: Logger
  #made: ReadonlyMap<string, OfferedTool> | undefined

  constructor({ calls, settings, log }: { calls: Calls; settings: McpSettings; log: Logger }) {
    this.#calls = calls
    this.#settings = settings
    this.#log = log
  }

  /**
   * Tools by name, a page at a time.
   *
   * @param cursor - the name of the last one of the page before
   * @throws E_MCP_CURSOR
   */
  list(cursor?: string): { tools: Tool[]; nextCursor?: string } {
    const tools = [...this.#tools.values()].map(({ declaration }) => declaration)
    const from = cursor === undefined ? 0 : tools.findIndex(({ name }) => name === cursor) + 1
    if (cursor !== undefined && from === 0) throw mcpErrors.E_MCP_CURSOR(cursor)
    const page = tools.slice(from, from + PAGE)
    return from + PAGE < tools.length ? { tools: page, nextCursor: page.at(-1)!.name } : { tools: page }
  }

  /** @throws E_MCP_TOOL; E_MCP_NOT_OFFERED for a command that the settings leave out */
  get(name: string): OfferedTool {
    const tool = this.#tools.get(name)
    if (tool !== undefined) return tool
    const command = this.#calls.commands().find(({ path }) => toolName(path) === name)
    const why = command === undefined ? undefined : admission(command, this.#settings)
    throw why !== undefined && 'why' in why ? mcpErrors.E_MCP_NOT_OFFERED(name, why.why) : mcpErrors.E_MCP_TOOL(name)
  }

  /**
   * The words and files that a tool's input stands for.
   *
   * @throws what is wrong with it, naming the member
   */
  said({ command, inputs, declaration: { name } }: OfferedTool, given: ToolInput): Words & { readonly body: Body | undefined } {
    const words = wordsOf(name, inputs, given, command.body !== undefined)
    return { ...words, body: command.body && bodyOf(name, command.body, given[FILES], this.#settings.limits.inputBytes) }
  }

  /** Made when first asked for: commands are known once every plugin has started. */
  get #tools(): ReadonlyMap<string, OfferedTool> {
    this.#made ??= this.#make()
    return this.#made
  }

  #make(): ReadonlyMap<string, OfferedTool> {
    const commands = this.#calls.commands()
    for (const entry of this.#settings.commands) {
      if (!commands.some(({ path }) => matchesPath(patternOf(entry), path)))
        this.#log.warn(`plugins.mcp.commands: '${entry}' matches no command that this node answers`)
    }
    const tools = new Map<string, OfferedTool>()
    for (const command of commands) {
      const admitted = admission(command, this.#settings)
      if (!('grant' in admitted)) continue
      const inputs = inputsOf(command, this.#calls.binding(command))
      const declaration = describedTool(command, inputs)
      tools.set(declaration.name, { command, inputs, grant: admitted.grant, declaration })
    }
    return tools
  }
}

export const ToolboxToken: Token<Toolbox> = token<Toolbox>('mcp-tools')

/** The parts of a toolbox. */
export const toolboxNeeds = { calls: Calls, settings: McpSettings, log: Log } as const
