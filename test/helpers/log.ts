import type { NodeHost } from '../../host/host.ts'

/** The lines of a node's log that come from now on, of the level `warn` and above for one of its parts. */
export function linesOf(host: NodeHost, part: string): string[] {
  const lines: string[] = []
  host.logs.setLevel(part, 'warn')
  const controller = new AbortController()
  host.beforeStop(async () => controller.abort())
  void (async () => {
    for await (const line of host.logs.tail(controller.signal)) lines.push(line)
  })()
  return lines
}
