import { spawnSync } from 'node:child_process'
import test from 'ava'
import fc from 'fast-check'
import { needsNoQuotes, quotedFor, typedLine } from '../../../../host/cli/completion/shell-words.ts'
import { shells } from '../../../../host/cli/completion/shells.ts'

test('a line is taken apart as a shell does, and nothing in it is expanded', t => {
  t.deepEqual(typedLine('a  b\tc'), { words: ['a', 'b', 'c'], raw: 'c', quote: '' })
  t.deepEqual(typedLine('a b '), { words: ['a', 'b', ''], raw: '', quote: '' })
  t.deepEqual(typedLine(`a 'b "c' "d 'e\\" $f" g\\ h`).words, ['a', 'b "c', `d 'e" $f`, 'g h'])
  t.deepEqual(typedLine('a "b\\c'), { words: ['a', 'b\\c'], raw: '"b\\c', quote: '"' })
  t.deepEqual(typedLine("a --b='c d"), { words: ['a', '--b=c d'], raw: "--b='c d", quote: "'" })
  t.deepEqual(typedLine('a $(b) `c` $d ~').words, ['a', '$(b)', '`c`', '$d', '~'])
  t.deepEqual(typedLine("a '' b").words, ['a', '', 'b'])
  t.deepEqual(typedLine('a b\\'), { words: ['a', 'b'], raw: 'b\\', quote: '' })
  t.deepEqual(typedLine('').words, [''])
})

const SPECIAL = ' \t$`\'"\\|&;<>()*?[]#~=%!{}^-:@,.é日ab'
/** Text of all that means something to a shell; without line ends, which are never offered. */
const text = fc.string({ unit: fc.constantFrom(...SPECIAL), minLength: 1 })

test('quoted text is read as itself again, in each quote', t => {
  fc.assert(
    fc.property(text, fc.constantFrom('' as const, "'" as const, '"' as const), (of, quote) => {
      const quoted = quotedFor(of, quote)
      if (quoted === undefined) return of.includes('!') && quote === '"'
      const { words } = typedLine(`x ${quote}${quoted}${quote}`)
      return words.length === 2 && words[1] === of
    })
  )
  t.pass()
})

test('a real shell reads quoted text as itself, and runs nothing', t => {
  const samples = fc.sample(text, 300)
  for (const quote of ['', "'", '"'] as const) {
    const known = samples.filter(of => quotedFor(of, quote) !== undefined)
    const words = known.map(of => `${quote}${quotedFor(of, quote)}${quote}`)
    const { stdout } = spawnSync('sh', ['-c', `printf '%s\\n' ${words.join(' ')}`], { encoding: 'utf8', cwd: '/usr' })
    t.deepEqual(stdout.split('\n').slice(0, -1), known)
  }
})

test('text that a shell could mean otherwise needs quotes', t => {
  for (const plain of ['a', 'Qm12', '/ipfs/Qm/a.txt', '--name=x', 'a:b', 'naïve', 'x@y', '100%']) t.true(needsNoQuotes(plain), plain)
  for (const other of SPECIAL.replace(/[-=%:@,.é日ab]/g, '')) t.false(needsNoQuotes(`x${other}`), other)
})

test('bash is told what stands behind the part of a word that it leaves alone', t => {
  const offered = (line: string, part: string, value: string) => shells['bash']!.question([line, part])?.offer({ value, about: '' })
  t.is(offered('holdfast x --type=re', 're', '--type=recursive'), 'recursive')
  t.is(offered('holdfast x a:b\\ c', 'b\\ c', 'a:b cd'), 'b\\ cd')
  t.is(offered('holdfast x "a b', 'a b', 'a b$c'), 'a b\\$c')
  t.is(offered("holdfast x 'a b", 'a b', "a b'c"), "a b'\\''c")
  t.is(offered('holdfast x ', '', '~a'), '\\~a')
  t.is(offered('holdfast x "a', 'a', 'a!b'), undefined, 'a history reference has no form there')
  t.is(shells['bash']!.question(["holdfast x $'a", 'a']), undefined, 'escapes of its own')
  t.is(shells['bash']!.question(['holdfast x a', 'b']), undefined, 'a part that is not there')
})

test('zsh gets colons and backslashes of a name told apart from what it is, and fish no tilde that it would leave open', t => {
  t.is(shells['zsh']!.question(['a'])!.offer({ value: 'a:b\\c', about: 'd: e' }), 'a\\:b\\\\c:d: e')
  t.is(shells['fish']!.question(['a'])!.offer({ value: 'a b', about: 'c' }), 'a b\tc')
  t.is(shells['fish']!.question(['~'])!.offer({ value: '~b', about: '' }), undefined)
})
