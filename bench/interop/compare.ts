/**
 * This node and real Kubo with each other, beside pairs of Kubo, in one run: `node dist/bench/interop/compare.js`. `--only fetch-tcp,cat` takes some
 * rows, `--pairs 0.42:0.42,0.42:holdfast` some pairs (who has it before who wants it; `holdfast` alone for the rows of one node), `--rounds 3` how
 * often, `--delay 15` milliseconds each way between the nodes, `--sources 4`, `--size 256` MiB, `--rest 30` seconds.
 */
import { parseArgs } from 'node:util'
import { provide, VERSIONS } from '../../test/interop/nodes/kubo.ts'
import type { Program } from '../../test/interop/nodes/peer.ts'
import { median } from '../support/report.ts'
import { type Figures, ROWS } from './rows.ts'

const PAIRS = ['0.28:0.28', '0.42:0.42', '0.42:holdfast', 'holdfast:0.42', '0.28:holdfast', 'holdfast:0.28', 'holdfast:holdfast']
const ONES = ['0.28', '0.42', 'holdfast']

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(ROWS).join() },
    pairs: { type: 'string', default: [...PAIRS, ...ONES].join() },
    rounds: { type: 'string', default: '3' },
    delay: { type: 'string', default: '0' },
    sources: { type: 'string', default: '1' },
    size: { type: 'string', default: '256' },
    rest: { type: 'string', default: '30' }
  }
})
const conditions = { delay: Number(values.delay), sources: Number(values.sources), size: Number(values.size), rest: Number(values.rest) }
const only = values.only.split(',')
const unknown = only.filter(name => ROWS[name] === undefined)
if (unknown.length > 0) throw new Error(`no rows ${unknown}; there are ${Object.keys(ROWS).join(', ')}`)

for (const version of VERSIONS) await provide(version)

/** The values of a figure of each pair. */
const measured = new Map<string, Map<string, number[]>>()

const round = (value: number) => (Number.isNaN(value) ? 'failed' : value >= 100 ? value.toFixed(0) : value.toPrecision(3))

for (const name of only) {
  const row = ROWS[name]!
  const pairs = values.pairs.split(',').filter(pair => pair.includes(':') === (row.of === 'pair'))
  const names = new Set<string>()
  for (let turn = 0; turn < Number(values.rounds); turn++) {
    for (const pair of pairs) {
      const [source, sink = source] = pair.split(':') as [Program, Program?]
      let figures: Figures = {}
      try {
        figures = await row.run(source, sink, conditions)
      } catch (error) {
        console.error(`${name}, ${pair}: ${(error as Error).message.slice(0, 300)}`)
      }
      for (const [figure, value] of Object.entries(figures)) {
        names.add(figure)
        if (!measured.has(figure)) measured.set(figure, new Map())
        const of = measured.get(figure)!
        of.set(pair, [...(of.get(pair) ?? []), value])
      }
    }
  }
  for (const figure of names) show(figure, pairs)
}

/**
 * A line for each pair: the middle of its rounds, and how good that is beside Kubo alone. Where Kubo is who wants, it is held against the same
 * Kubo with one of its own: the pace is the wanting side's.
 */
function show(figure: string, pairs: readonly string[]): void {
  const of = measured.get(figure)!
  const less = / (ms|MiB)$/.test(figure)
  const middle = (pair: string) => (of.has(pair) ? median(of.get(pair)!) : Number.NaN)
  const kubos = pairs.filter(pair => !pair.includes('holdfast'))
  const bestFor = (pair: string) => {
    const sink = pair.slice(pair.indexOf(':') + 1)
    const alike = kubos.filter(kubo => kubo.endsWith(`:${sink}`))
    const alone = (alike.length > 0 ? alike : kubos).map(middle).filter(value => !Number.isNaN(value))
    return less ? Math.min(...alone) : Math.max(...alone)
  }
  console.log(
    `\n${figure}${conditions.delay > 0 ? `, ${conditions.delay} ms away` : ''}${conditions.sources > 1 ? `, from ${conditions.sources}` : ''}`
  )
  for (const pair of pairs) {
    const value = middle(pair)
    const best = bestFor(pair)
    const ratio = less ? best / value : value / best
    const beside = pair.includes('holdfast') && Number.isFinite(ratio) ? `  ${ratio.toFixed(2)} × Kubo` : ''
    console.log(
      `  ${pair.replace(':', ' → ').padEnd(20)} ${round(value).padStart(8)}  (${(of.get(pair) ?? []).map(round).join(' ')})${beside}`
    )
  }
}
