import { z } from 'zod'
import { messageOf, p, type RoutingEvent } from '../../../core/index.ts'

/** The numbers of events on the wire (go-libp2p 0.33, core/routing/query.go). */
export const EVENT = { asking: 0, answer: 1, peer: 2, failure: 3, provider: 4, value: 5, added: 6, dialling: 7 } as const

const responses = z
  .array(z.object({ ID: z.string(), Addrs: z.array(z.string()) }))
  .nullable()
  .describe('Peers: closer ones, the one that was looked for, or a provider.')

const fields = {
  Extra: z.string().describe('An error, or a value in base64.'),
  ID: z.string().describe('The peer that it is about; empty for none.'),
  Responses: responses,
  Type: z.int().describe('0: a peer is asked, 1: it answered, 2: the end, 3: an error, 4: a provider, 5: a value, 7: a peer is dialled.')
}

/** An event of a look-up. */
export const routeEvent = z.object(fields)

/** The same in the order that the reference has where it answers one event. */
export const lastEvent = z.object({ ID: fields.ID, Type: fields.Type, Responses: fields.Responses, Extra: fields.Extra })

/** The option of commands that tell of a look-up, for their text. */
export const verboseOption = p.bool('Print everything that happens on the way.').alias('v')

type RouteEvent = z.input<typeof routeEvent>

const event = (Type: number, of: Partial<RouteEvent>): RouteEvent => ({ Extra: '', ID: '', Responses: null, Type, ...of })
const info = ({ id, addresses }: { readonly id: string; readonly addresses: readonly string[] }) => ({ ID: id, Addrs: [...addresses] })

/** An event as the wire has it; undefined for one that it does not know. */
export function onWire(of: RoutingEvent): RouteEvent | undefined {
  switch (of.type) {
    case 'dialling':
    case 'asking':
      return event(EVENT[of.type], { ID: of.peer })
    case 'answer':
      return event(EVENT.answer, { ID: of.peer, Responses: of.closer.map(info) })
    case 'failure':
      return event(EVENT.failure, { ID: of.peer ?? '', Extra: of.message })
    case 'provider':
      return event(EVENT.provider, { Responses: [info(of.provider)] })
    case 'peer':
      return event(EVENT.peer, { Responses: [info(of.found)] })
    case 'value':
      return event(EVENT.value, { ID: of.peer ?? '' })
  }
}

/** An event that tells of a failure of the whole. */
export function failureOnWire(error: unknown): RouteEvent {
  return event(EVENT.failure, { Extra: messageOf(error) })
}

/** The last event of a look-up of closest peers. */
export function closestOnWire(peer: string): RouteEvent {
  return event(EVENT.peer, { ID: peer })
}

type Print = (of: RouteEvent, verbose: boolean) => string

/**
 * Events as text (Kubo 0.28, core/commands/routing.go): with `verbose` all of them, each behind the time of day, else only those that the
 * command has a text of its own for.
 */
export function eventText(
  printsByEvent: Partial<Record<keyof typeof EVENT, Print>>
): (of: RouteEvent, call: { options: { verbose?: boolean | undefined } }) => string {
  const prints = new Map(Object.entries(printsByEvent).map(([name, print]) => [EVENT[name as keyof typeof EVENT] as number, print]))
  return (of, { options: { verbose = false } }) => {
    const time = verbose ? `${new Date().toTimeString().slice(0, 8)}.${String(new Date().getMilliseconds()).padStart(3, '0')}: ` : ''
    return time + (prints.get(of.Type)?.(of, verbose) ?? (verbose ? detail(of) : ''))
  }
}

function detail({ Type, ID, Extra, Responses }: RouteEvent): string {
  switch (Type) {
    case EVENT.asking:
      return `* querying ${ID}\n`
    case EVENT.answer:
      return `* ${ID} says use ${(Responses ?? []).map(peer => `${peer.ID} `).join('')}\n`
    case EVENT.failure:
      return `error: ${Extra}\n`
    case EVENT.value:
      return `got value: '${Extra}'\n`
    case EVENT.dialling:
      return `dialing peer: ${ID}\n`
    default:
      return ''
  }
}
