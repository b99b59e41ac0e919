import { type Caller, Host } from '../../core/index.ts'
import { type ToolCalls, ToolCallsToken } from './tool-calls.ts'
import { type Toolbox, ToolboxToken } from './tools/toolbox.ts'

/** The parts of a server of one client. */
export interface ServerParts {
  readonly host: Host
  readonly toolbox: Toolbox
  readonly toolCalls: ToolCalls
  /** The caller that began the session, where the client came over a listener. */
  readonly from?: Pick<Caller, 'address' | 'grant'> | undefined
}

export const serverNeeds = { host: Host, toolbox: ToolboxToken, toolCalls: ToolCallsToken } as const
