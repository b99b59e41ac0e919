import { messageOf, type RoutingEvent } from '../../core/index.ts'
import { merged } from './merged.ts'

/**
 * The events of several sources as they come; undefined for one that is not asked. That a source fails is no event, as another one may answer: clients of
 * the reference give up at the first event of a failure. Where all have failed and nothing was found, the last events say why.
 *
 * @param failed - told what a source threw; throws it where it is no failure of the source
 */
export async function* together(
  sources: ReadonlyArray<() => AsyncIterable<RoutingEvent> | undefined>,
  failed: (error: unknown, source: number) => void
): AsyncGenerator<RoutingEvent> {
  const failures = new Map<number, string[]>()
  const fail = (source: number, message: string) => failures.set(source, [...(failures.get(source) ?? []), message])
  let asked = sources.length
  const attempt = async function* (source: number): AsyncGenerator<RoutingEvent> {
    try {
      const events = sources[source]!()
      if (events === undefined) asked--
      for await (const event of events ?? []) {
        if (event.type === 'failure' && event.peer === undefined) fail(source, event.message)
        else yield event
      }
    } catch (error) {
      failed(error, source)
      fail(source, messageOf(error))
    }
  }
  let isFound = false
  for await (const event of merged([...sources.keys()].map(attempt))) {
    isFound ||= event.type === 'provider' || event.type === 'peer' || event.type === 'value'
    yield event
  }
  if (isFound || failures.size < asked) return
  for (const source of sources.keys()) for (const message of failures.get(source) ?? []) yield { type: 'failure', message }
}
