import { Datastore, optional, plugin, Repo, type Startable, service, token } from '../../../core/index.ts'
import { createHost } from '../../../host/index.ts'

/** Run as a process of its own: makes a repo and hangs at a moment of that, which it says. */
const [path = '', moment = ''] = process.argv.slice(2)
const hang = () => {
  process.stdout.write('now\n')
  return new Promise<void>(resolve => setTimeout(resolve, 60_000))
}
const when = moment === 'afterStart' ? 'afterStart' : 'start'
const needs = { repo: Repo, store: moment === 'repo' ? optional(token('test-nobody')) : Datastore }
const hanging = plugin({
  name: 'hanging',
  api: '^1',
  about: 'Hangs.',
  internal: [service(token<Startable>('test-hanging'), { needs, make: () => ({ [when]: hang }) })]
})
const host = await createHost({ plugins: [hanging], repo: { path, init: {} }, patience: 60_000 })
await host.start()
