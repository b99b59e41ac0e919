/**
 * Asks this node and the reference's program the same random requests: `node dist/test/differential/run.js --reference PATH [--seed N]
 * [--requests N]`, 2,000 of them with a seed of the moment by default. Prints the fewest requests that are answered differently, and how to
 * repeat that; the exit status is 1 then. Without the program it is skipped.
 */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { differ } from './differ.ts'
import { referenceNode, thisNode } from './programs.ts'
import { curl } from './request.ts'

const { values } = parseArgs({ options: { reference: { type: 'string' }, seed: { type: 'string' }, requests: { type: 'string' } } })
const { reference } = values
const seed = numberOf('seed', values.seed, Date.now() % 2 ** 31)
const count = numberOf('requests', values.requests, 2000)

if (reference === undefined) console.log('differential: skipped: --reference does not name the program of Kubo 0.28 to compare with')
else if (!existsSync(reference)) {
  console.error(`differential: there is no ${reference}`)
  process.exitCode = 1
} else process.exitCode = await main(reference)

async function main(program: string): Promise<number> {
  const found = await differ([thisNode, () => referenceNode(program)], { seed, count })
  if (found === undefined) {
    console.log(`differential: ${count} requests of seed ${seed} were answered alike`)
    return 0
  }
  const [answerHere, other] = found.answers
  console.log(`differential: the last of these ${found.requests.length} requests differs in ${found.differs.join(', ')}`)
  for (const request of found.requests) console.log(`  ${curl(request)}`)
  console.log(`this node: ${JSON.stringify(answerHere)}\nreference: ${JSON.stringify(other)}`)
  console.log(`to repeat: node dist/test/differential/run.js --reference ${program} --seed ${seed} --requests ${count}`)
  return 1
}

function numberOf(name: string, text: string | undefined, otherwise: number): number {
  const number = Number(text ?? otherwise)
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name}: ${text} is no whole number from 1 on`)
  return number
}
