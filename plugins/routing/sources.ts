import { messageOf, type RoutingEvent } from '../../core/index.ts'
import { merged } from './merged.ts'

/**
 * The events of several sources as they come; undefined for one that is not asked. That a source fails is no event, as another one may answer: clients of
 * the reference give up at the first event of a failure. Where all have failed, the last event says so.
 *
 * @param failed - told what a source threw; throws it where it is no failure of the source
 */
export async function* together(
  sources: ReadonlyArray<() => AsyncIterable<RoutingEvent> | undefined>,
  failed: (error: unknown, source: number) => void
): AsyncGenerator<RoutingEvent> {
  const failures: string[] = []
  let asked = sources.length
  const attempt = async function* (source: number): AsyncGenerator<RoutingEvent> {
    try {
      const events = sources[source]!()
      if (events === undefined) asked--
      for await (const event of events ?? []) {
        if (event.type === 'failure' && event.peer === undefined) failures[source] = event.message
        else yield event
      }
    } catch (error) {
      failed(error, source)
      failures[source] = messageOf(error)
    }
  }
  let isFound = false
  for await (const event of merged([...sources.keys()].map(attempt))) {
    isFound ||= event.type === 'provider' || event.type === 'peer' || event.type === 'value'
    yield event
  }
  const reasons = Object.values(failures)
  if (!isFound && asked > 0 && reasons.length === asked) yield { type: 'failure', message: [...new Set(reasons)].join('; ') }
}
