/** What the command line prints, against what the reference was recorded to answer for `encoding=text`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { printedCommands } from './printed.ts'

const conformance = fileURLToPath(new URL('../../../../../test/conformance', import.meta.url))
const door = fileURLToPath(new URL('door.js', import.meta.url))

interface Step {
  readonly cmd?: string
  readonly query?: ReadonlyArray<readonly [string, string]>
  readonly headers?: object
  readonly response: { readonly trailers?: Readonly<Record<string, string>> }
}

interface Outcome {
  readonly scenario: string
  readonly step: string
  readonly index: number
  readonly problems: readonly string[]
  readonly exception?: string
}

test('every command prints what the reference answers as text, to the byte', async t => {
  t.timeout(600_000)
  const commands = await printedCommands()
  // octets that are no text are shown escaped
  const isText = ({ cmd = '', query = [], response }: Step) =>
    commands.has(cmd) &&
    !('base64' in response) &&
    query.some(([name, value]) => (name === 'encoding' || name === 'enc') && value === 'text')
  const scenarios = new Map<string, readonly Step[]>()
  const recorded = join(conformance, 'kit', 'recorded')
  for (const name of await readdir(recorded)) {
    const { name: scenario, steps } = JSON.parse(await readFile(join(recorded, name), 'utf8')) as { name: string; steps: Step[] }
    // a caller's headers say what no command line can
    if (steps.some(isText) && !steps.some(({ headers }) => headers !== undefined)) scenarios.set(scenario, steps)
  }
  const folder = await temporaryFolder(t)
  const lanes: string[][] = [[], []]
  for (const [i, scenario] of [...scenarios.keys()].entries()) lanes[i % 2]!.push(join(recorded, `${scenario}.json`))
  const outcomes = (await Promise.all(lanes.map((files, i) => replay(files, join(folder, String(i)))))).flat()

  const printed = outcomes.filter(({ scenario, index, exception }) => exception === undefined && isText(scenarios.get(scenario)![index]!))
  t.true(printed.length > 80, `${printed.length} steps were printed`)
  const about = /^answer\.(text|json|body|base64)\b|no answer/
  for (const { scenario, step, index, problems } of printed) {
    const late = scenarios.get(scenario)![index]!.response.trailers?.['x-stream-error']
    // an error behind nothing is told like one that came at once
    const told = `answer.text: wanted "", got ${JSON.stringify(late)}`
    const isTold = (problem: string) => (problem.endsWith('…') ? told.startsWith(problem.slice(0, -1)) : problem === told)
    const differs = problems.filter(problem => about.test(problem) && !isTold(problem))
    t.deepEqual(differs, [], `${scenario} › ${step}`)
  }

  const ran = new Set((await Promise.all(lanes.map((_, i) => readFile(join(folder, `${i}.log`), 'utf8')))).join('').split('\n'))
  for (const { scenario, index } of printed) t.true(ran.has(scenarios.get(scenario)![index]!.cmd!), scenario)
})

async function replay(files: readonly string[], out: string): Promise<Outcome[]> {
  const args = ['replay', ...files, '--start', `exec '${process.execPath}' '${door}'`, '--json', `${out}.json`]
  const exceptions = ['--exceptions', join(conformance, 'exceptions.json')]
  const child = spawn(process.execPath, [join(conformance, 'kit', 'conformance.mjs'), ...args, ...exceptions], {
    env: { ...process.env, HOLDFAST_OFFLINE: '0', DOOR_LOG: `${out}.log` },
    stdio: ['ignore', 'ignore', 'inherit']
  })
  await once(child, 'close')
  return JSON.parse(await readFile(`${out}.json`, 'utf8')) as Outcome[]
}
