import { getHeapStatistics } from 'node:v8'
import { goJson } from '../../../core/go/json.ts'
import { Activity, route } from '../../../core/index.ts'
import { answer } from './respond.ts'

export const varsRoute = route({
  listener: 'rpc',
  method: '*',
  path: '/debug/vars',
  help: 'The command line, the memory and the running calls of this node, as JSON.',
  access: 'read',
  control: true,
  needs: { activity: Activity },
  handle: ({ activity }, _, response) => answer(response, 'application/json; charset=utf-8', `${goJson(variables(activity))}\n`)
})

/** As much of Go's `expvar` as there is here: `memstats` in its names, in bytes. */
function variables(activity: Activity) {
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage()
  const heap = getHeapStatistics()
  return {
    active_calls: activity.list().filter(({ end }) => end === undefined).length,
    cmdline: process.argv,
    memstats: {
      Alloc: heapUsed + external,
      Sys: rss,
      HeapAlloc: heapUsed,
      HeapSys: heapTotal,
      HeapIdle: heapTotal - heapUsed,
      HeapInuse: heapUsed,
      OtherSys: external,
      ArrayBuffers: arrayBuffers,
      HeapLimit: heap.heap_size_limit,
      MallocedMemory: heap.malloced_memory
    },
    resources: process.resourceUsage(),
    uptime_seconds: process.uptime(),
    versions: process.versions
  }
}
