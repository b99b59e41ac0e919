import { AsyncLocalStorage, createHook } from 'node:async_hooks'

/** The things that keep a process alive, by the name that Node gives its kind, in a user's words. */
const KINDS: Readonly<Record<string, string>> = {
  Timeout: 'a timer',
  Immediate: 'a timer',
  TCPSERVERWRAP: 'a server',
  PIPESERVERWRAP: 'a server',
  TCPWRAP: 'a connection',
  PIPEWRAP: 'a connection',
  UDPWRAP: 'a socket',
  FSEVENTWRAP: 'a watcher',
  STATWATCHER: 'a watcher',
  PROCESSWRAP: 'a process',
  WORKER: 'a thread',
  SIGNALWRAP: 'a listener for signals'
}

/** The things that a plugin of a third party left running. */
interface Left {
  readonly plugin: string
  readonly what: string
}

interface Begun extends Left {
  readonly resource: WeakRef<object>
}

const begun = new Set<Begun>()

/** The start during which something was begun: several hosts of a process may start plugins at a time. */
const starting = new AsyncLocalStorage<{ readonly plugin: string }>()

/** The plugin of a third party whose start began what is going on now, such as a connection; undefined where none did. */
export function beganBy(): string | undefined {
  return starting.getStore()?.plugin
}

/** Does something of a plugin's that {@link beganBy} is to tell of. */
export function asPlugin<T>(plugin: string, work: () => T): T {
  return starting.run({ plugin }, work)
}

/** Notes what a plugin begins while it is made or started. */
export async function noting<T>(plugin: string, work: () => Promise<T>): Promise<T> {
  const scope = { plugin }
  const hook = createHook({
    init(_, type, __, resource) {
      const what = KINDS[type]
      if (what !== undefined && starting.getStore() === scope) begun.add({ plugin, what, resource: new WeakRef(resource) })
    }
  }).enable()
  try {
    const result = await starting.run(scope, work)
    // a server listens a turn later
    await new Promise(resolve => setImmediate(resolve))
    return result
  } finally {
    hook.disable()
    leftRunning()
  }
}

/** The things that were begun, still run, and keep the process from its end. */
export function leftRunning(): readonly Left[] {
  for (const one of begun) if (!keepsAlive(one.resource.deref())) begun.delete(one)
  return [...begun]
}

/** A timer says by `_destroyed` that it has gone, a handle by having no reference any more. */
function keepsAlive(resource: unknown): boolean {
  const { _destroyed, hasRef } = (resource ?? {}) as { _destroyed?: boolean; hasRef?(): boolean }
  return resource !== undefined && _destroyed !== true && (hasRef?.call(resource) ?? false)
}

/** Each plugin with what it left, in one line: `plugin 'clock' left a timer running`. */
export function toldOf(left: readonly Left[]): string[] {
  const byPlugin = Map.groupBy(left, one => one.plugin)
  return [...byPlugin].map(([plugin, all]) => `plugin '${plugin}' left ${[...new Set(all.map(({ what }) => what))].join(' and ')} running`)
}
