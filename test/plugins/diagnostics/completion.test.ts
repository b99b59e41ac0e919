import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'
import { command, nothing, p } from '../../../core/index.ts'
import { bashCompletion, fishCompletion, placesOf, zshCompletion } from '../../../plugins/diagnostics/completion.ts'

const places = placesOf(
  ['pin/add', 'pin/remote/add', 'pin/rm', 'ping', 'id'].map(path =>
    command.read(path, {
      help: `It's ${path}.`,
      options: { recursive: p.bool('').alias('r') },
      reply: nothing(),
      run: () => {}
    })
  )
)

test('every place of a command line knows what can follow', t => {
  const words = (path: string) => places.find(place => place.path === path)?.words.map(({ word }) => word)
  t.deepEqual(words(''), ['pin', 'ping', 'id'])
  t.deepEqual(words('pin'), ['add', 'remote', 'rm'])
  t.deepEqual(words('pin remote'), ['add'])
  t.deepEqual(words('pin add'), [])
  t.deepEqual(places.find(({ path }) => path === 'pin add')?.options, ['--recursive', '-r'])
  t.true(places[0]!.options.includes('--offline'))
})

/** What bash offers for the last of these words. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `${bashCompletion('holdfast', places)}
COMP_WORDS=(holdfast ${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await promisify(execFile)('bash', ['-c', script])
  return stdout.split('\n').filter(line => line !== '')
}

test('bash offers commands, groups and options where they can stand', async t => {
  t.deepEqual(await offered('pi'), ['pin', 'ping'])
  t.deepEqual(await offered('pin', ''), ['add', 'remote', 'rm'])
  t.deepEqual(await offered('pin', 'r'), ['remote', 'rm'])
  t.deepEqual(await offered('--offline', 'pin', 'remote', ''), ['add'])
  t.deepEqual(await offered('pin', 'add', '--r'), ['--recursive'])
  t.deepEqual(await offered('pin', 'add', 'QmFoo', '-'), ['--recursive', '-r'])
  t.deepEqual(await offered('pin', 'add', ''), [])
  t.deepEqual(await offered('nonsense', 'p'), ['pin', 'ping'])
})

test("zsh gets bash's function, fish its own lines with what each command does", t => {
  t.true(zshCompletion('holdfast', places).includes('complete -o default -F _holdfast holdfast'))
  const lines = fishCompletion('holdfast', places).split('\n')
  t.true(lines.includes(String.raw`complete -c holdfast -n '__holdfast_at pin remote' -f -a 'add' -d 'It\'s pin/remote/add.'`))
  t.true(lines.includes(`complete -c holdfast -n '__holdfast_at' -f -a 'pin'`))
  t.true(lines.includes(`complete -c holdfast -n '__holdfast_at pin add' -s r`))
})

test('what a third party calls an option, or says of a command, is no part of what a shell runs', async t => {
  const evil = command.read('evil', {
    help: "It's\n\x1b[2J evil'; touch pwned; '",
    options: { plain: p.bool(''), odd: p.bool('').alias("a'; touch pwned; '", '$(touch pwned)', 'a b', '*', '-x') },
    reply: nothing(),
    run: () => {}
  })
  const found = placesOf([evil])
  t.deepEqual(found.find(({ path }) => path === 'evil')?.options, ['--plain', '--odd'])
  for (const script of [bashCompletion('holdfast', found), zshCompletion('holdfast', found)]) t.false(script.includes('pwned'))
  const fish = fishCompletion('holdfast', found)
  t.true(fish.includes(String.raw`-a 'evil' -d 'It\'s  [2J evil\'; touch pwned; \''`))
  const script = `IFS=:; ${bashCompletion('holdfast', found)}
COMP_WORDS=(holdfast evil --); COMP_CWORD=2; _holdfast; printf '%s\n' "\${COMPREPLY[@]}"`
  const { stdout } = await promisify(execFile)('bash', ['-u', '-c', script])
  t.deepEqual(stdout.split('\n'), ['--plain', '--odd', ''])
})
