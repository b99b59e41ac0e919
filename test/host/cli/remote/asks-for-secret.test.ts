/** What the command line says to do where a node refuses. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { commandLine } from '../../../helpers/process/command-line.ts'

const REFUSALS: ReadonlyArray<readonly [status: number, text: string, asks: boolean]> = [
  [401, '401 - Unauthorized: this node asks for a token', true],
  [403, 'Kubo RPC Access Denied: Please provide a valid authorization token as defined in the API.Authorizations configuration.', true],
  [403, "403 - Forbidden: key/gen takes the access 'write', and 'reader' has 'read'", false]
]

for (const [status, text, asks] of REFUSALS) {
  test(`a refusal with ${status}${asks ? '' : ' of a known secret'} ${asks ? 'tells' : 'does not tell'} to give a secret: ${text}`, async t => {
    const server = createServer((_, response) => response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { code, err } = await commandLine(['--api', api, 'id'])
    t.is(code, 1)
    t.true(err.startsWith(`Error: ${text}\n`), err)
    t.is(err.includes('--api-auth'), asks, err)
  })
}
