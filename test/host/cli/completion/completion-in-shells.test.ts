/** What shells insert at the tab key of what a node tells: text that they read as itself, and nothing that they run. */
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { bin } from '../../../helpers/process/daemon.ts'
import { type OnTerminal, onTerminal, whyNoTerminal } from '../../../helpers/process/pty.ts'

const keeper = fileURLToPath(new URL('../support/keeper.js', import.meta.url))

/** Names that mean something to a shell, each to be inserted as one argument: but fish has no form for one with a tilde at its head. */
const NAMES = [
  '$(touch pwned)',
  'two words',
  '`touch pwned`',
  'a;touch pwned;',
  '&& touch pwned',
  '| touch pwned',
  '>pwned',
  "it's",
  '"quoted" text',
  'back\\slash \\',
  '~root',
  '*',
  '[a-z]?',
  '{a,b}',
  '#comment',
  '!!',
  'x!touch',
  '$HOME $PATH',
  'a:b c:d',
  'a=b c',
  '=ls',
  '^a^b',
  '%1',
  '(touch pwned)',
  "$'touch'",
  'naïve 日本',
  '@host x'
]

/** Names that are not offered: options, what moves a cursor, what would not be seen, and no text at all. */
const REFUSED = ['-rf', '--all', 'a\nb', 'a\tb', '\x1b[2Jx', '\u009b2Jx', 'a\u202eb', 'a\x7f', 'a\u200bb', '', 'x'.repeat(2000)]

interface Shell {
  readonly start: string
  readonly ready: string
  /** Lines that make it unusual. */
  readonly odd: readonly string[]
}

const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    start: 'bash --norc --noprofile -i',
    ready: 'eval "$(holdfast completion bash)"',
    odd: [
      "alias type='touch pwned; type -a' read='touch pwned; read' local='touch pwned; local'",
      'set -u; set -f; IFS=:/; shopt -s nullglob failglob nocasematch'
    ]
  },
  zsh: {
    start: 'zsh -f -i',
    ready: 'autoload -Uz compinit; compinit -u -D; eval "$(holdfast completion zsh)"',
    odd: [
      "alias whence='touch pwned; whence'",
      'setopt nounset ksharrays shwordsplit globsubst noglob warncreateglobal cshnullglob extendedglob'
    ]
  },
  fish: {
    start: 'fish --no-config',
    ready: 'holdfast completion fish | source',
    odd: ['function holdfast; touch pwned; command holdfast $argv; end; functions -e holdfast', 'set -g IFS :/']
  }
}

/** Why a shell cannot be tried here; undefined where it can. */
function whyNo(shell: string): string | undefined {
  return whyNoTerminal() ?? (spawnSync(shell, ['-c', 'exit 0']).status === 0 ? undefined : `there is no ${shell}`)
}

/** A node that tells these names, whatever is asked. */
async function nodeWith(t: ExecutionContext) {
  const told = { names: [] as readonly string[] }
  const server = http.createServer((request, response) => {
    const { names } = told
    const Keys = Object.fromEntries(names.map(name => [name, { Type: 'recursive', Name: '' }]))
    request.resume().on('end', () => response.end(`${JSON.stringify({ Names: names, Keys })}\n`))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return { api: `http://127.0.0.1:${(server.address() as { port: number }).port}`, told }
}

/** Those of them that quotes treat in different ways. */
const IN_QUOTES = ['two words', '$(touch pwned)', '`touch pwned`', "it's", '"quoted" text', 'back\\slash \\', '~root', '$HOME $PATH']

interface Session {
  /** Types a line up to the tab key while the node tells these names, and expects that the program gets these words. */
  inserts(line: string, names: string | readonly string[], ...words: readonly string[]): Promise<void>
  /** Types a line up to the tab key while the node tells these names, and runs it. @returns the words that the program got */
  run(line: string, names: string | readonly string[]): Promise<string[]>
  say(line: string): Promise<void>
  /** Whether anything that was inserted, or asked for, was run. */
  pwned(): Promise<boolean>
  readonly cwd: string
  readonly terminal: OnTerminal
}

/** A shell on a terminal whose `holdfast` completes, and otherwise notes its words. */
async function session(t: ExecutionContext, shell: string, { odd = false } = {}): Promise<Session> {
  const { start, ready, odd: lines } = SHELLS[shell]!
  const folder = await temporaryFolder(t)
  const [cwd, programs, home, log] = ['cwd', 'bin', 'home', 'log'].map(name => join(folder, name)) as [string, string, string, string]
  for (const path of [cwd, programs, home]) await mkdir(path)
  const { api, told } = await nodeWith(t)
  const configuration = join(cwd, 'holdfast.config.json')
  await writeFile(configuration, JSON.stringify({ plugins: { [keeper]: 'on' } }))
  const program = join(programs, 'holdfast')
  await writeFile(
    program,
    `#!/bin/sh
case "$1" in
  __complete | completion) exec '${process.execPath}' '${bin}' "$@" ;;
esac
for word in "$@"; do printf '%s\\0' "$word"; done > '${log}'
echo "ra""n $1 $#."
`
  )
  await chmod(program, 0o755)
  const env = {
    PATH: `${programs}:${process.env['PATH']}`,
    HOME: home,
    PS1: '$ ',
    HOLDFAST_API: api,
    HOLDFAST_CONFIG: configuration,
    LC_ALL: 'C.UTF-8'
  }
  const terminal = onTerminal(start, { cwd, env })
  t.teardown(() => terminal.process.kill('SIGKILL'))
  let count = 0
  const say = async (line: string) => {
    terminal.type(`${line}\necho "d""one ${++count}."\n`)
    await terminal.until(new RegExp(`done ${count}\\.`))
  }
  if (odd) for (const line of lines) await say(line)
  await say(ready)
  const run = async (line: string, names: string | readonly string[]) => {
    told.names = [names].flat()
    await writeFile(log, '')
    await say(`${line}\t`)
    return (await readFile(log, 'utf8')).split('\0').slice(0, -1)
  }
  const inserts = async (line: string, names: string | readonly string[], ...words: readonly string[]) => {
    let got = await run(line, names)
    // who presses the key waits for a node no longer than a second, which a busy machine may take
    for (let again = 0; again < 5 && got.join() !== words.join(); again++) got = await run(line, names)
    t.deepEqual(got, words, `${line}⇥ ${names}`)
  }
  const pwned = async () =>
    (await readFile(join(cwd, 'pwned')).then(
      () => true,
      () => false
    )) || terminal.shown().includes('touch: ')
  return { run, inserts, say, pwned, cwd, terminal }
}

for (const shell of Object.keys(SHELLS)) {
  const why = whyNo(shell)
  if (why !== undefined) console.log(`left out, values completed in ${shell}: ${why}`)
  const shellTest = why === undefined ? test.serial : test.skip

  shellTest(`${shell} inserts a name that a node tells as one argument, whatever is in it, and runs nothing of it`, async t => {
    const { inserts, pwned } = await session(t, shell)
    for (const name of NAMES.filter(name => shell !== 'fish' || !name.startsWith('~')))
      await inserts('holdfast keeper open ', name, 'keeper', 'open', name)
    t.false(await pwned())
  })

  shellTest(`${shell} completes a name behind an open quote, behind an escape, and behind a sign`, async t => {
    const { inserts, pwned } = await session(t, shell)
    for (const name of IN_QUOTES.filter(name => shell !== 'fish' || !name.startsWith('~'))) {
      await inserts("holdfast keeper open '", name, 'keeper', 'open', name)
      await inserts('holdfast keeper open "', name, 'keeper', 'open', name)
    }
    await inserts('holdfast keeper open two\\ w', 'two words', 'keeper', 'open', 'two words')
    await inserts("holdfast keeper open 'two w", 'two words', 'keeper', 'open', 'two words')
    await inserts('holdfast keeper open "two w', 'two words', 'keeper', 'open', 'two words')
    await inserts('holdfast keeper open a:b\\ c', 'a:b c:d', 'keeper', 'open', 'a:b c:d')
    await inserts('holdfast keeper open --other=two', 'two words', 'keeper', 'open', '--other=two words')
    await inserts("holdfast keeper 'open' --other two", 'two words', 'keeper', 'open', '--other', 'two words')
    t.false(await pwned())
  })

  shellTest(`${shell} is offered no name that is an option, or does not show as it is, and no CID or path that is none`, async t => {
    const { run, inserts, pwned } = await session(t, shell)
    for (const name of REFUSED) {
      const [, , inserted] = await run('holdfast keeper open ', name)
      // where nothing is offered, the one file that is there
      t.true(inserted === undefined || inserted === 'holdfast.config.json', inserted)
    }
    const cid = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
    for (const evil of ['$(touch pwned)', 'a name', '/tmp/$(touch pwned)', '-rf'])
      await inserts('holdfast pin rm ', [evil, cid], 'pin', 'rm', cid)
    await inserts('holdfast keeper open --root ', ['no CID', cid], 'keeper', 'open', '--root', cid)
    const path = `/ipfs/${cid}/$(touch pwned)`
    await inserts('holdfast pin rm /', path, 'pin', 'rm', path)
    t.false(await pwned())
  })

  shellTest(`${shell} completes under unusual options and aliases, and what a third party says of a command stays text`, async t => {
    const { inserts, pwned, terminal } = await session(t, shell, { odd: true })
    for (const name of ['two words', '$(touch pwned)', 'a:b c:d', '*', "it's"])
      await inserts('holdfast keeper open ', name, 'keeper', 'open', name)
    await inserts('holdfast keeper op', 'x', 'keeper', 'open')
    terminal.type('holdfast keeper \t\t\x15')
    await inserts('holdfast pi', 'x', 'pin')
    t.false(await pwned())
  })

  shellTest(`${shell} asks the program of its path, and runs neither one of the working directory nor a function of that name`, async t => {
    const { run, inserts, say, pwned, cwd, terminal } = await session(t, shell)
    await writeFile(join(cwd, 'holdfast'), '#!/bin/sh\ntouch pwned\n')
    await chmod(join(cwd, 'holdfast'), 0o755)
    terminal.type('./holdfast keeper open \t\x15')
    await run('holdfast keeper open ', 'x')
    t.false(await pwned(), 'typed with its folder')
    await say(shell === 'fish' ? 'set -gx PATH . $PATH' : 'kept=$PATH; PATH=.:$PATH')
    terminal.type('holdfast keeper open \t\x15')
    await say(shell === 'fish' ? 'set -e PATH[1]' : 'PATH=$kept')
    await inserts('holdfast keeper open ', 'x y', 'keeper', 'open', 'x y')
    t.false(await pwned(), 'found by a path with the working directory in it')
    await say(shell === 'fish' ? 'function holdfast; touch pwned; end' : 'holdfast() { touch pwned; }')
    terminal.type('holdfast keeper open \t\x15')
    await say(shell === 'fish' ? 'functions -e holdfast' : 'unset -f holdfast')
    t.false(await pwned(), 'a function')
  })
}
