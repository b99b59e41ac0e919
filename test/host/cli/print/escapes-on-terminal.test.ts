/** What appears on a real terminal of names, errors and log lines from elsewhere. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { onTerminal, whyNoTerminal } from '../../../helpers/process/pty.ts'

const built = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url))
const absent = whyNoTerminal()
if (absent !== undefined) console.log(`left out, escapes on a terminal: ${absent}`)
const terminalTest = absent === undefined ? test : test.skip

const NAME = 'a\x1b]0;owned\x07\x1b[31m\u009b2J\u202eb\nc'

/** Everything that a command line leaves on a terminal; line ends of the terminal as those of a file. */
async function shown(command: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { shown, ended } = onTerminal(command, { cwd, env })
  await ended
  return shown().replaceAll('\r\n', '\n')
}

const node = `'${process.execPath}'`

/** A folder of the test's own that holds `script.mjs`. */
async function withScript(t: ExecutionContext, text: string): Promise<string> {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'script.mjs'), text)
  return folder
}

terminalTest('names of a folder are shown escaped by ls, add, refs and errors, and written as they are into a pipe', async t => {
  const cwd = await temporaryFolder(t)
  const repo = join(cwd, 'repo')
  await mkdir(join(cwd, 'site'))
  await writeFile(join(cwd, 'site', NAME), 'x')
  await commandLine(['--repo', repo, 'init'])
  const holdfast = `${node} '${built('bundle/host/cli/bin.js')}' --repo '${repo}'`
  const quoted = 'a\\x1b]0;owned\\a\\x1b[31m\\u009b2J\\u202eb\\nc'
  const inLine = quoted.replace('\\n', '\\x0a')
  t.true((await shown(`${holdfast} add -r --progress=false site`, cwd)).includes(`site/${quoted}\n`))
  const { out } = await commandLine(['--repo', repo, 'add', '-Qr', 'site'], { cwd })
  const root = out.trim()
  t.true((await shown(`${holdfast} ls ${root}`, cwd)).endsWith(` 1 ${quoted}\n`))
  t.is(await shown(`${holdfast} refs --format='<linkname>' ${root}`, cwd), `${inLine}\n`)
  const piped = `${holdfast} refs --format='<linkname>' ${root} > piped`
  t.is(await shown(`${piped}; cat piped | od -An -c | tr -d ' \\n'`, cwd), [...Buffer.from(`${NAME}\n`)].map(octal).join(''))
  const missing = await shown(`${holdfast} cat "/ipfs/${root}/$(printf '\\033[2J')"`, cwd)
  t.regex(missing, /^Error: .*\\x1b\[2J/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  t.notRegex(missing, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
})

/** A byte as `od -c` writes it. */
function octal(byte: number): string {
  const named = new Map([
    [0x07, '\\a'],
    [0x0a, '\\n']
  ]).get(byte)
  return named ?? (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : byte.toString(8).padStart(3, '0'))
}

terminalTest('log lines on a terminal are escaped in every format but for the colours, and in a file they are not', async t => {
  const cwd = await withScript(
    t,
    `import { HostLogs } from ${JSON.stringify(built('host/logs/logs.js'))}
new HostLogs({ format: process.argv[2], targets: ['stderr', { file: process.argv[3] }] })
  .get('dag').error({ path: 'p\\u009b\\x7f\\u202e' }, 'm\\x1b[2J\\u009b\\x7f\\u202e\\nforged')`
  )
  const lines = {
    json: /^\{"level":50,.*"path":"p\\u009b\\u007f\\u202e","msg":"m\\u001b\[2J\\u009b\\u007f\\u202e\\nforged"\}\n$/,
    nocolor: /^\S+\tERROR\tdag\tm\\u001b\[2J\\u009b\\u007f\\u202e\\nforged\t\{"path":"p\\u009b\\u007f\\u202e"\}\n$/,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a level
    color: /^\S+\t\x1b\[31mERROR\x1b\[0m\tdag\tm\\u001b\[2J\\u009b\\u007f\\u202e\\nforged\t\{"path":"p\\u009b\\u007f\\u202e"\}\n$/
  }
  for (const [format, line] of Object.entries(lines)) {
    t.regex(await shown(`${node} script.mjs ${format} ${format}.log`, cwd), line, format)
    const kept = await shown(`tr -d '\\n' < ${format}.log | od -An -c | tr -d ' \\n'`, cwd)
    t.regex(kept, /p302233177342200256"\}$|m\\u001b\[2J302233177342200256\\n?forged"\}$/, format)
  }
})

terminalTest('an error that nobody caught is told escaped, and the process ends with 1', async t => {
  const cwd = await withScript(
    t,
    `import { processTerminal } from ${JSON.stringify(built('host/cli/terminal.js'))}
processTerminal()
const error = new Error('late \\x1b]0;owned\\x07\\u009b2J')
if (process.argv[2] === 'rejected') Promise.reject(error)
else setTimeout(() => { throw error })
setTimeout(() => {}, 60_000)`
  )
  for (const way of ['thrown', 'rejected']) {
    const { shown, ended } = onTerminal(`${node} script.mjs ${way}`, { cwd })
    t.is(await ended, 1)
    t.true(shown().startsWith('Error: late \\x1b]0;owned\\a\\u009b2J\r\n    at '), shown())
  }
})

terminalTest('a daemon on a terminal tells what it cannot do escaped', async t => {
  const cwd = await temporaryFolder(t)
  const daemon = `${node} '${built('bundle/host/cli/bin.js')}' --repo repo daemon --init --offline --api "$(printf 'x\\033[2J\\302\\2332J')"`
  const text = await shown(daemon, cwd, { GOLOG_LOG_LEVEL: 'x\x1b[2J' })
  t.regex(text, /^Error: .*x\\x1b\[2J\\u009b2J/m)
  t.regex(text, /GOLOG_LOG_LEVEL: unrecognized level: "x\\x1b\[2J"/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  t.notRegex(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
})
