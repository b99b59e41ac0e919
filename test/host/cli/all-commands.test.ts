/** Every command there is, third parties' included: what its help says, and what its words become. */
import test from 'ava'
import { Binding } from '../../../core/binding/binding.ts'
import { type Command, namesOf, type ParameterSpec, wireName } from '../../../core/index.ts'
import hello from '../../../examples/hello.ts'
import { helpFor, usage } from '../../../host/cli/line/help.ts'
import { KnownCommands } from '../../../host/cli/line/known-commands.ts'
import { dashed, type Line, parseLine } from '../../../host/cli/line/parse.ts'
import { programs } from '../../../host/cli/programs/index.ts'
import { declaredCommands, third } from '../../helpers/declared.ts'

const known = new KnownCommands(
  { configuration: { plugins: { mcp: true, older: true, 'pinning-service': true } }, file: undefined, folder: '/' },
  { loaded: [hello, third].map(plugin => ({ plugin, from: 'test', keys: [plugin.name], settings: undefined })), notLoaded: [] },
  programs
)
const commands = await declaredCommands()
const words = ({ path }: { path: string }) => path.split('/')
const parse = (...argv: string[]): Promise<Line> => parseLine(argv, known)

/** A text that an option or argument of this kind takes. */
function sample(spec: ParameterSpec): string {
  if (spec.choices !== undefined) return spec.choices[0]!
  if (spec.format === 'cid') return 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
  if (spec.format === 'duration') return '5s'
  return { bool: 'true', int: '-7', uint: '7', int64: '-7', uint64: '7', float64: '0.25', string: 'some text' }[spec.wire]
}

const types = {
  bool: 'boolean',
  int: 'number',
  uint: 'number',
  int64: 'bigint',
  uint64: 'bigint',
  float64: 'number',
  string: 'string'
} as const

function isOfKind(value: unknown, spec: ParameterSpec): boolean {
  const one = spec.many ? (value as unknown[])[0] : value
  return typeof one === types[spec.wire]
}

test('every command is found by its words', async t => {
  t.true(commands.length > 50)
  for (const command of commands) {
    const line = await parse(...words(command))
    t.is(line.path.join('/'), command.path)
    t.is((line.entry as Command).path, command.path)
  }
})

test('the help of every command names its words, arguments, options, defaults, choices, status and examples', async t => {
  for (const command of commands) {
    const help = (await helpFor(await parse(...words(command), '--help'), known)).replace(/\s+/g, ' ')
    const says = (text: string) => t.true(help.includes(text.replace(/\s+/g, ' ').trim()), `${command.path}: ${text}`)
    says(`holdfast ${words(command).join(' ')}: ${command.help}`)
    says(usage(command))
    for (const [key, { spec }] of Object.entries(command.args)) says(wireName(key, spec))
    for (const [key, { spec }] of Object.entries(command.options)) {
      for (const name of namesOf(key, spec)) says(dashed(name))
      says(spec.help)
      for (const choice of spec.choices ?? []) says(choice)
      if (spec.default !== undefined && spec.default !== '' && !spec.many) says(`Default: ${spec.default}.`)
    }
    if (command.body !== undefined) says(command.body.name)
    if (command.status !== 'regular') says(`STATUS ${command.status}`)
    for (const { title, args } of command.examples) says(`${title}: holdfast ${args}`)
  }
})

test('every name of every option of every command takes a value in each form, and the command gets it', async t => {
  for (const command of commands) {
    const binding = new Binding(command)
    for (const [key, { spec }] of Object.entries(command.options)) {
      const text = sample(spec)
      for (const name of namesOf(key, spec)) {
        const forms =
          spec.wire === 'bool' ? [[dashed(name)], [`${dashed(name)}=true`]] : [[`${dashed(name)}=${text}`], [dashed(name), text]]
        for (const form of forms) {
          const line = await parse(...words(command), ...form)
          const value = binding.options.values(binding.options.gather(line.pairs))[key]
          t.true(isOfKind(value, spec), `${command.path} ${form.join(' ')}: ${String(value)}`)
          if (spec.wire === 'string') t.deepEqual(value, spec.many ? [text] : text)
        }
      }
      if (spec.wire !== 'bool') continue
      const off = await parse(...words(command), `--no-${wireName(key, spec)}`)
      t.is(binding.options.values(binding.options.gather(off.pairs))[key], false, `${command.path} --no-${wireName(key, spec)}`)
    }
  }
})

test('the arguments of every command get their words in order, the last one all that are left if it may', async t => {
  for (const command of commands) {
    const specs = Object.entries(command.args)
    if (specs.length === 0) continue
    const given = specs.flatMap(([, { spec }], i) =>
      (spec.many ? [0, 1, 2] : [0]).map(n => (spec.format === 'text' && spec.wire === 'string' ? `${i}-${n}` : sample(spec)))
    )
    const line = await parse(...words(command), '--', ...given)
    const values = new Binding(command).args.values(line.words)
    for (const [key, { spec }] of specs) {
      const value = values[key]
      t.true(spec.many ? (value as unknown[]).length === 3 : value !== undefined, `${command.path} ${key}`)
    }
  }
})

test('examples of every command are command lines that it takes', async t => {
  let count = 0
  for (const command of [...commands, ...programs]) {
    for (const { args, title } of command.examples) {
      const argv = [...args.split(' > ')[0]!.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
      const line = await parse(...argv)
      t.is(line.path.join('/'), command.path, `${command.path}: ${title}`)
      t.notThrows(() => line.table.formats(line.table.gather(line.pairs), line.table.values(line.table.gather(line.pairs))), args)
      const list = new Binding(command as Command).args
      if (command.body === undefined) t.true(line.words.length <= list.most, args)
      if (!list.fromBody) t.notThrows(() => list.check(line.words), args)
      count++
    }
  }
  t.true(count > 30)
})

test('the help of the program lists every command, and that of a group every one in it', async t => {
  const root = await helpFor(await parse('--help'), known)
  for (const command of [...commands, ...programs.filter(({ hidden }) => !hidden)])
    t.true(root.includes(words(command).join(' ')), command.path)
  t.false(root.includes('__complete'))
  const groups = new Set(
    commands.flatMap(command =>
      words(command)
        .slice(0, -1)
        .map((_, i) =>
          words(command)
            .slice(0, i + 1)
            .join('/')
        )
    )
  )
  for (const group of groups) {
    const help = (await helpFor(await parse(...group.split('/')), known)).replace(/\s+/g, ' ')
    for (const command of commands.filter(({ path }) => path.startsWith(`${group}/`))) {
      t.true(help.includes(`${words(command).join(' ')} ${command.help}`), `${group}: ${command.path}`)
    }
  }
})
