import { goJson } from '../../../core/go/json.ts'
import type { Activity } from '../../../core/index.ts'

interface Report {
  readonly javascriptStack?: { readonly stack?: readonly string[] }
  readonly libuv?: readonly Readonly<Record<string, unknown>>[]
  environmentVariables?: unknown
}

/** Node's diagnostic report without the environment, where secrets may lie, and without asking the network for names. */
export function diagnosticReport(): Report {
  // the declarations do not know this setting of Node 22
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean }
  const { excludeNetwork } = report
  report.excludeNetwork = true
  try {
    const taken = report.getReport() as unknown as Report
    delete taken.environmentVariables
    return taken
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}

/** The state of the process: running calls, what keeps its event loop busy, and the stack of the one thread. */
export function stacks(activity: Activity): string {
  const { javascriptStack, libuv = [] } = diagnosticReport()
  const resources = new Map<string, number>()
  for (const type of process.getActiveResourcesInfo()) resources.set(type, (resources.get(type) ?? 0) + 1)
  const running = activity.list().filter(({ end }) => end === undefined)
  const sections: Array<[title: string, lines: readonly string[]]> = [
    ['running calls', running.map(({ id, command, start, args }) => `${id} ${command} since ${start.toISOString()} ${goJson(args)}`)],
    ['active resources', [...resources].map(([type, count]) => `${count} ${type}`)],
    ['handles', libuv.map(handle => JSON.stringify(handle))],
    ['stack', (javascriptStack?.stack ?? []).map(line => line.trim())]
  ]
  return sections.map(([title, lines]) => `${title} [${lines.length}]:\n${lines.map(line => `\t${line}\n`).join('')}`).join('\n')
}
