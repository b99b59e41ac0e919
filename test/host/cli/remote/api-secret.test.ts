/** Secrets beside the words of a command line, which other users of the machine see. */
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'

const modes = process.platform === 'win32' ? test.skip : test
const asRoot = process.geteuid?.() === 0 ? test : test.skip
if (process.geteuid?.() !== 0) console.log('left out, files of other users: only root can make some')

const SECRET = 'hunter2-hunter2'

async function asking(t: ExecutionContext) {
  const seen: Array<{ authorization: string | undefined; url: string }> = []
  const server = http.createServer(({ headers: { authorization }, url = '' }, response) => {
    seen.push({ authorization, url })
    response.end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const cwd = await temporaryFolder(t)
  const env = { HOLDFAST_API: `http://127.0.0.1:${(server.address() as { port: number }).port}` }
  const holdfast = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const ran = await commandLine([...args, 'pin', 'ls'], { cwd, env: { ...env, ...more } })
    t.false(`${ran.out}${ran.err}`.includes(SECRET), ran.err)
    return ran
  }
  const file = async (text: string, mode = 0o600) => {
    const path = join(cwd, 'secret')
    await writeFile(path, text)
    await chmod(path, mode)
    return path
  }
  return { seen, cwd, holdfast, file }
}

test('a secret comes from an option, an environment variable or a file', async t => {
  const { seen, holdfast, file } = await asking(t)
  const path = await file(`bearer:${SECRET}\n`)
  for (const [args, env] of [
    [['--api-auth', `bearer:${SECRET}`], {}],
    [[], { HOLDFAST_API_AUTH: `bearer:${SECRET}` }],
    [['--api-auth-file', 'secret'], {}],
    [[`--api-auth-file=${path}`], {}],
    [[], { HOLDFAST_API_AUTH_FILE: path }]
  ] as const) {
    const { code, err } = await holdfast(args, env as Record<string, string>)
    t.is(code, 0, err)
    t.is(seen.pop()?.authorization, `Bearer ${SECRET}`)
    t.is(seen.length, 0)
  }
})

test('an option goes before the variables, and the secret itself before a file', async t => {
  const { seen, holdfast, file } = await asking(t)
  const env = { HOLDFAST_API_AUTH: 'bearer:env', HOLDFAST_API_AUTH_FILE: await file('bearer:file') }
  for (const [args, more, expected] of [
    [['--api-auth', 'bearer:word'], env, 'Bearer word'],
    [['--api-auth-file', 'secret'], env, 'Bearer file'],
    [[], env, 'Bearer env'],
    [[], { ...env, HOLDFAST_API_AUTH: '' }, 'Bearer file']
  ] as const) {
    await holdfast(args, more)
    t.is(seen.pop()?.authorization, expected)
  }
})

test('nothing of it, nor of other options of this command line, is sent in the request', async t => {
  const { seen, holdfast, file } = await asking(t)
  await file(SECRET)
  await holdfast(['--api-auth-file', 'secret', '--allow-config', '--config', await configuration(t)])
  t.is(seen[0]?.authorization, `Bearer ${SECRET}`)
  t.notRegex(seen[0]!.url, /auth|secret|config|hunter/)
})

async function configuration(t: ExecutionContext): Promise<string> {
  const file = join(await temporaryFolder(t), 'c.yaml')
  await writeFile(file, '')
  return file
}

modes('a file that others may read is refused with the remedy, and nothing is sent', async t => {
  const { seen, holdfast, file } = await asking(t)
  for (const mode of [0o644, 0o640, 0o604, 0o620, 0o666]) {
    const path = await file(SECRET, mode)
    const { code, err } = await holdfast(['--api-auth-file', path])
    t.is(code, 1)
    t.true(
      err.includes(`the secret in ${path} is not used: others may know it (owner ${process.geteuid!()}, mode 0${mode.toString(8)})`),
      err
    )
    t.true(err.includes(`chmod 600 '${path}'`))
  }
  t.deepEqual(seen, [])
})

asRoot("so is another user's", async t => {
  const { seen, holdfast, file } = await asking(t)
  await chown(await file(SECRET), 65534, 65534)
  t.regex((await holdfast(['--api-auth-file', 'secret'])).err, /owner 65534, mode 0600/)
  t.deepEqual(seen, [])
})

test('a file that is not there, is empty or is none is an error, and nothing is sent', async t => {
  const { seen, cwd, holdfast, file } = await asking(t)
  await mkdir(join(cwd, 'folder'))
  t.regex((await holdfast(['--api-auth-file', 'none'])).err, /^Error: cannot take a secret from .*none: ENOENT/)
  t.regex((await holdfast(['--api-auth-file', 'folder'])).err, /folder is no regular file/)
  await file('\n')
  t.regex((await holdfast(['--api-auth-file', 'secret'])).err, /secret: it is empty/)
  t.deepEqual(seen, [])
})

test('no error shows a secret', async t => {
  const { seen, holdfast, file } = await asking(t)
  await file(`${SECRET}\nmore`)
  for (const args of [
    ['--api-auth', SECRET, '--api-auth', `${SECRET}2`],
    ['--api-auth', SECRET, '--api-auth-file', 'secret'],
    ['--api-auth-file', 'secret'],
    ['--api-auth', `${SECRET}\u20ac`],
    ['--api-auth', `${SECRET}\r\nX: y`],
    ['--api-auth', SECRET, '--nope'],
    [`--api-auth=${SECRET}`, 'nope'],
    [`--api-atuh=${SECRET}`]
  ]) {
    const { code, err } = await holdfast(args)
    t.not(code, 0, err)
  }
  // the node is asked whether it knows the word that is unknown here
  t.deepEqual(
    seen.splice(0).map(({ url }) => url),
    ['/plugins']
  )
  await holdfast(['--api-auth', `basic:me:${SECRET}\u20ac`])
  t.is(seen[0]?.authorization, `Basic ${Buffer.from(`me:${SECRET}\u20ac`).toString('base64')}`)
})
