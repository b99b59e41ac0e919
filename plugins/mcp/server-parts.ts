import { Host } from '../../core/index.ts'
import { type ToolCalls, ToolCallsToken } from './tool-calls.ts'
import { type Toolbox, ToolboxToken } from './tools/toolbox.ts'

/** What a server of one client is made of. */
export interface ServerParts {
  readonly host: Host
  readonly toolbox: Toolbox
  readonly toolCalls: ToolCalls
  /** An IP address, where the client comes over one. */
  readonly address?: string | undefined
}

export const serverNeeds = { host: Host, toolbox: ToolboxToken, toolCalls: ToolCallsToken } as const
