import { Host } from '../../core/index.ts'
import { type ToolCalls, ToolCallsToken } from './tool-calls.ts'
import { type Toolbox, ToolboxToken } from './tools/toolbox.ts'

/** The parts of a server of one client. */
export interface ServerParts {
  readonly host: Host
  readonly toolbox: Toolbox
  readonly toolCalls: ToolCalls
}

export const serverNeeds = { host: Host, toolbox: ToolboxToken, toolCalls: ToolCallsToken } as const
