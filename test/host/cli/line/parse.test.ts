import test, { type ExecutionContext } from 'ava'
import { KnownCommands } from '../../../../host/cli/line/known-commands.ts'
import { type Line, parseLine } from '../../../../host/cli/line/parse.ts'
import { programs } from '../../../../host/cli/programs/index.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'

async function parsed(t: ExecutionContext, ...argv: string[]): Promise<Line> {
  return parseLine(argv, await KnownCommands.open({ file: undefined, cwd: await temporaryFolder(t) }, programs))
}

async function refusal(t: ExecutionContext, ...argv: string[]): Promise<string> {
  return (await t.throwsAsync(() => parsed(t, ...argv))).message
}

test('words name a command, and what is left are its arguments', async t => {
  const line = await parsed(t, 'pin', 'add', 'one', 'ls')
  t.deepEqual(line.path, ['pin', 'add'])
  t.deepEqual(line.words, ['one', 'ls'])
})

test('a command that has commands below it takes other words as arguments', async t => {
  t.deepEqual((await parsed(t, 'refs', 'local')).path, ['refs', 'local'])
  const line = await parsed(t, 'refs', '-r', 'Qm', 'local')
  t.deepEqual([line.path, line.words], [['refs'], ['Qm', 'local']])
})

test('options are read before, between and behind words, long and short', async t => {
  const { path, words, pairs } = await parsed(t, '--offline', 'pin', '--timeout=3s', 'ls', '-t', 'direct', 'x', '-qn', '--stream')
  t.deepEqual([path, words], [['pin', 'ls'], ['x']])
  t.deepEqual(pairs, [
    ['offline', 'true'],
    ['timeout', '3s'],
    ['type', 'direct'],
    ['quiet', 'true'],
    ['names', 'true'],
    ['stream', 'true']
  ])
})

test('a short option takes its value with =, right behind it, or as the next word', async t => {
  for (const said of [['-s=size-5'], ['-ssize-5'], ['-s', 'size-5']]) {
    t.deepEqual((await parsed(t, 'add', ...said)).pairs, [['chunker', 'size-5']])
  }
  t.deepEqual((await parsed(t, 'add', '-rs', 'size-5')).pairs, [
    ['recursive', 'true'],
    ['chunker', 'size-5']
  ])
})

test('a value may begin with a dash', async t => {
  t.deepEqual((await parsed(t, 'refs', '--max-depth', '-1', 'x')).pairs, [['max-depth', '-1']])
})

test('an option is known by each of its names, those of several letters included', async t => {
  t.deepEqual((await parsed(t, 'resolve', '--dhtrc', '5', 'x')).pairs, [['dht-record-count', '5']])
  t.deepEqual((await parsed(t, 'cid', 'format', '-b', 'base36', '--mc', 'raw', 'x')).pairs, [
    ['b', 'base36'],
    ['mc', 'raw']
  ])
})

test('--no-name and --name=false switch a boolean off', async t => {
  for (const said of ['--no-pin', '--pin=false']) t.deepEqual((await parsed(t, 'add', said)).pairs, [['pin', 'false']])
  t.deepEqual((await parsed(t, 'add', '--nocopy')).pairs, [['nocopy', 'true']])
  t.regex(await refusal(t, 'add', '--no-chunker'), /unknown option '--no-chunker'/)
})

test('options that may be repeated keep every value', async t => {
  const { pairs, table } = await parsed(t, 'add', '--ignore', 'a', '--ignore=b')
  t.deepEqual(table.values(table.gather(pairs))['ignore'], ['a', 'b'])
})

test('-- ends the options, and a lone dash is a word', async t => {
  t.deepEqual((await parsed(t, 'add', '-', '--', '-r', '--')).words, ['-', '-r', '--'])
})

test('what is not known is named, with what is near', async t => {
  t.regex(await refusal(t, 'pni', 'ls'), /unknown command 'pni' — did you mean 'pin'\?/)
  t.regex(await refusal(t, 'pin', 'lss'), /unknown command 'pin lss' — did you mean 'pin ls'\?/)
  t.regex(await refusal(t, 'add', '--recursve'), /unknown option '--recursve' — did you mean '--recursive'\?/)
  t.regex(await refusal(t, 'add', '-rz'), /unknown option '-z'/)
  t.regex(await refusal(t, 'add', '--chunker'), /missing argument for option '--chunker'/)
  t.regex(await refusal(t, '--', 'addd'), /unknown command 'addd'/)
  t.regex(await refusal(t, '--', 'add'), /'add' behind it names none: put it before/)
})

test("an option of all commands is told from a command's own of the same name by its place", async t => {
  const { pairs, sent, globals } = await parsed(t, '--repo', '/x', 'version', '--repo')
  t.deepEqual([pairs, sent, globals], [[['repo', 'true']], [['repo', 'true']], [['repo', '/x']]])
  const plain = await parsed(t, '--repo', '/x', 'id', '--timeout=3s', '--api=/y')
  t.deepEqual(plain.sent, [['timeout', '3s']])
})
