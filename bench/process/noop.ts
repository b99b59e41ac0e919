/** A command that does next to nothing, over the RPC, against a bare route of the same HTTP library. */
import { execFile } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import restify from 'restify'
import { startNode } from '../support/node.ts'
import { report } from '../support/report.ts'

const load = async (port: number, path: string) => {
  const script = fileURLToPath(new URL('../support/load.js', import.meta.url))
  return Number((await promisify(execFile)(process.execPath, [script, String(port), path, '32', '5'])).stdout)
}

const server = restify.createServer()
server.post('/version', (_, res, next) => {
  res.writeHead(200, { 'Content-Type': 'application/json' })
  res.end('{"Version":"0.28.0","Commit":"","Repo":"15","System":"amd64/linux","Golang":"node"}\r\n')
  next()
})
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
const bare = await load((server.address() as AddressInfo).port, '/version')
server.close()

const node = await startNode()
try {
  const rpc = await load(Number(new URL(node.url).port), '/api/v0/version')
  report({ name: 'a no-op command against a bare route', measured: rpc, against: bare, unit: 'requests/s', atLeast: 0.4 })
} finally {
  await node.stop()
}
process.exit()
