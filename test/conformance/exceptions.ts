/** One step that does not answer as recorded, and why. */
export interface Exception {
  readonly scenario: string
  readonly step: string
  readonly reason: string
}

const BEGIN = '<!-- written by npm run docs from test/conformance/exceptions.json -->'
const END = '<!-- until here -->'
const AWAITS = /^needs '([^']+)', a group that is not there yet/

/** The page with its list of exceptions as they are now: steps by reason, and those that await a group by its name. */
export function withExceptions(page: string, exceptions: readonly Exception[]): string {
  const [before, afterBegin] = split(page, BEGIN)
  const [, after] = split(afterBegin, END)
  const reasons = new Map<string, { steps: number; scenarios: Set<string> }>()
  for (const { scenario, reason } of exceptions) {
    const group = AWAITS.exec(reason)?.[1]
    const key = group === undefined ? reason : `awaits \`${group}\``
    const entry = reasons.get(key) ?? { steps: 0, scenarios: new Set() }
    entry.steps++
    entry.scenarios.add(scenario)
    reasons.set(key, entry)
  }
  const rows = [...reasons]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([reason, { steps, scenarios }]) => {
      return `| ${reason.replaceAll('|', '\\|')} | ${steps} | ${[...scenarios].sort().join(', ')} |`
    })
  return `${before}${BEGIN}\n\n| Why | Steps | Scenarios |\n| --- | --- | --- |\n${rows.join('\n')}\n\n${END}${after}`
}

function split(text: string, at: string): [string, string] {
  const found = text.indexOf(at)
  if (found < 0) throw new Error(`the page lacks ${at}`)
  return [text.slice(0, found), text.slice(found + at.length)]
}
