import { bytes, Calls, command, files } from '../../../core/index.ts'
import { serverNeeds } from '../server-parts.ts'
import { McpSettings } from '../settings.ts'

export const mcp = command.read('mcp', {
  status: 'experimental',
  local: true,
  help: 'Offer the commands of the node as tools of the Model Context Protocol to the program that started this: messages on standard input and output.',
  examples: [{ title: 'In the configuration of a client: the program holdfast with these arguments', args: 'mcp' }],
  // the command line hands its calls on to the node that runs, as the command says that it carries some
  needs: { ...serverNeeds, calls: Calls, settings: McpSettings },
  body: files('messages', 'Messages of the protocol, one a line.', { many: false }),
  reply: bytes({ text: true }),
  async *run({ settings, ...parts }, { body, signal }) {
    const { serveLines } = await import('../stdio/serve.ts')
    yield* serveLines(parts, { body, signal, limits: settings.limits })
  }
})
