import { defineErrors } from '../../core/index.ts'

const list = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '))

export const mcpErrors = defineErrors({
  E_MCP_TOOL: { wire: 'client', message: (name: string) => `there is no tool '${name}': tools/list shows those that there are` },
  E_MCP_NOT_OFFERED: { wire: 'forbidden', message: (name: string, why: string) => `the tool '${name}' is not offered: ${why}` },
  E_MCP_INPUT_UNKNOWN: {
    wire: 'client',
    message: (tool: string, name: string, known: readonly string[]) => `${tool}: there is no input '${name}'; there are: ${list(known)}`
  },
  E_MCP_INPUT_MISSING: { wire: 'client', message: (tool: string, name: string) => `${tool}: the input '${name}' is required` },
  E_MCP_INPUT_TYPE: {
    wire: 'client',
    message: (tool: string, name: string, wanted: string) => `${tool}: the input '${name}' has to be ${wanted}`
  },
  E_MCP_INPUT_GAP: {
    wire: 'client',
    message: (tool: string, name: string, before: string) => `${tool}: the input '${name}' can be given only together with '${before}'`
  },
  E_MCP_FILE: {
    wire: 'client',
    message: (tool: string, at: number, wanted: string) => `${tool}: the input 'files[${at}]' has to be ${wanted}`
  },
  E_MCP_FILES_MANY: { wire: 'client', message: (tool: string) => `${tool}: the input 'files' takes one file` },
  E_MCP_FILES_SIZE: {
    wire: 'client',
    message: (tool: string, most: number) => `${tool}: the files are larger than ${most} bytes together (plugins.mcp.limits.inputBytes)`
  },
  E_MCP_ANSWER_SIZE: {
    message: (what: string, most: number, ranges: boolean) =>
      `the answer of ${what} is larger than ${most} bytes (plugins.mcp.limits.bytes)${ranges ? ': ask for a part of it with offset and length' : ''}`
  },
  E_MCP_CURSOR: { wire: 'client', message: (cursor: string) => `'${cursor}' is no cursor of this list` },
  E_MCP_RESOURCE: {
    wire: 'client',
    message: (uri: string) => `'${uri}' is no resource of this node: ipfs://CID/path?offset=0&length=1000 are`
  },
  E_MCP_MESSAGE_SIZE: {
    wire: 'client',
    // the rest of it is not read
    http: () => ({ status: 413, headers: { Connection: 'close' } }),
    message: (most: number) => `a message is longer than ${most} bytes, the most that files of plugins.mcp.limits.inputBytes need`
  },
  E_MCP_INPUTS_HELD: {
    http: () => ({ status: 503, headers: { 'Retry-After': '1', Connection: 'close' } }),
    message: (most: number) =>
      `all messages together take more than ${most} bytes, the most that this node holds (plugins.mcp.limits.maxInputs): try again later`
  },
  E_MCP_MESSAGE: { wire: 'client', message: (why: string) => `this is no message of the protocol: ${why}` },
  E_MCP_SESSION_NONE: {
    wire: 'client',
    http: () => ({ status: 404 }),
    message: () => 'there is no such session, or it has ended: begin another with initialize'
  },
  E_MCP_SESSION_FIRST: { wire: 'client', message: () => 'a session begins with initialize; later requests say it in Mcp-Session-Id' },
  E_MCP_METHOD: {
    wire: 'client',
    http: () => ({ status: 405, headers: { Allow: 'POST, DELETE' } }),
    message: (method: string) => `${method} is no method of this path: POST a message, DELETE a session`
  },
  E_MCP_SESSIONS: {
    http: () => ({ status: 503, headers: { 'Retry-After': '1' } }),
    message: (most: number) => `there are ${most} sessions, as many as this node takes (plugins.mcp.limits.sessions): try again later`
  }
})
