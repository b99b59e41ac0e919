import { bytes, command, Logs } from '../../../../core/index.ts'

export const logTail = command({
  path: 'log/tail',
  status: 'experimental',
  access: 'admin',
  help: 'Follow the log: a line of JSON for each entry, until the caller leaves.',
  needs: { logs: Logs },
  reply: bytes({ text: true }),
  run: ({ logs }, { signal }) => ({ bytes: octets(logs.tail(signal)) })
})

async function* octets(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield Buffer.from(line)
}
