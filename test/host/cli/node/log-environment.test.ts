import test from 'ava'
import { logOptionsOf } from '../../../../host/cli/node/log-environment.ts'

const read = (env: Record<string, string>) => {
  const problems: string[] = []
  return { ...logOptionsOf(env, problem => problems.push(problem)), problems }
}

test('without variables everything is at its default', t => {
  t.deepEqual(read({}), { level: undefined, levels: new Map(), format: 'json', targets: ['stderr'], problems: [] })
})

test('a list sets the level of all and of single subsystems', t => {
  const { level, levels, problems } = read({ GOLOG_LOG_LEVEL: 'warn,pin=debug,DHT=DPANIC' })
  t.is(level, 'warn')
  t.deepEqual(
    [...levels!],
    [
      ['pin', 'debug'],
      ['DHT', 'fatal']
    ]
  )
  t.deepEqual(problems, [])
  t.is(read({ IPFS_LOGGING: 'debug' }).level, 'debug')
  t.is(read({ IPFS_LOGGING: 'debug', GOLOG_LOG_LEVEL: 'info' }).level, 'info')
})

test('form and places', t => {
  t.is(read({ GOLOG_LOG_FMT: 'nocolor' }).format, 'nocolor')
  t.deepEqual(read({ GOLOG_FILE: '/x' }).targets, [{ file: '/x' }])
  t.deepEqual(read({ GOLOG_FILE: '/x', GOLOG_OUTPUT: 'stdout+file' }).targets, ['stdout', { file: '/x' }])
  t.deepEqual(read({ GOLOG_OUTPUT: 'stdout+stderr+stdout' }).targets, ['stdout', 'stderr'])
})

test('what is not understood is said, and the rest holds', t => {
  const { level, levels, format, targets, problems } = read({
    GOLOG_LOG_LEVEL: 'info,loud,pin=quiet',
    GOLOG_LOG_FMT: 'xml',
    GOLOG_OUTPUT: 'printer+file'
  })
  t.is(level, 'info')
  t.is(levels!.size, 0)
  t.is(format, 'json')
  t.deepEqual(targets, ['stderr'])
  t.deepEqual(problems, [
    'GOLOG_LOG_LEVEL: unrecognized level: "loud"',
    'GOLOG_LOG_LEVEL: unrecognized level: "quiet"',
    'GOLOG_LOG_FMT: unknown format "xml"; known: json, color, nocolor',
    'GOLOG_OUTPUT: unknown output "printer"; known: stdout, stderr, file',
    'GOLOG_OUTPUT: file needs a path in GOLOG_FILE'
  ])
})
