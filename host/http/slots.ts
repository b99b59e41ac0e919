import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { NodeError } from '../../core/index.ts'
import { type Listed, SwapList } from '../calls/swap-list.ts'
import { rpcErrors } from './listener-errors.ts'
import type { RpcLimits } from './settings.ts'

/** Of the slots that there are, a single caller has seven eighths where nothing else is said. */
const ONE_CALLERS_PART = 0.875

/** Slots of one kind. */
class Room {
  readonly most: number
  readonly each: number
  readonly byCaller = new Map<string, number>()
  readonly slots = new SwapList<Slot>()

  constructor(most: number, each: number) {
    this.most = most
    this.each = each
  }
}

/** One request's place among those that run. */
interface Slot extends Listed {
  readonly room: Room
  readonly caller: string
  readonly response: ServerResponse
  /** The slots of its connection: the request forgets that when its body is left in the middle. */
  readonly held: Slot[]
}

const SLOT = Symbol('slot')
const HELD = Symbol('held')

type Holding = ServerResponse & { [SLOT]?: Slot }
type HoldingSocket = Socket & { [HELD]?: Slot[] }

/**
 * The requests that run: no more than the limits say, and of one caller not all of them. Commands and routes that are for controlling a
 * node have slots of their own, so that a node whose others are held can still be looked at and stopped.
 */
export class Slots {
  readonly #all: Room
  readonly #control: Room

  constructor(limits: RpcLimits) {
    const { concurrentRequests, controlRequests, requestsPerCaller } = limits
    const each = requestsPerCaller === 0 ? Math.ceil(concurrentRequests * ONE_CALLERS_PART) : requestsPerCaller
    this.#all = new Room(concurrentRequests, each)
    this.#control = new Room(controlRequests, Math.ceil(controlRequests * ONE_CALLERS_PART))
  }

  /**
   * Gives a request its slot, until it is answered or its connection is gone.
   *
   * @returns why there is none
   */
  take(request: IncomingMessage, response: ServerResponse, caller: string, isControl: boolean): NodeError | undefined {
    // control takes slots of its own where it finds no other
    const room = isControl && this.#why(this.#all, caller) !== undefined ? this.#control : this.#all
    if (room === this.#control && this.#why(room, caller) !== undefined) leaveAnswered(room)
    const why = this.#why(room, caller)
    if (why !== undefined) return why
    const own = room.byCaller.get(caller) ?? 0
    const held = heldOn(request.socket)
    const slot: Slot = { room, at: -1, caller, response, held }
    room.slots.add(slot)
    room.byCaller.set(caller, own + 1)
    ;(response as Holding)[SLOT] = slot
    response.on('close', answered)
    held.push(slot)
    return undefined
  }

  /** Why a caller gets no slot of a kind; undefined where it does. */
  #why(room: Room, caller: string): NodeError | undefined {
    if (room.slots.size >= room.most) {
      return room === this.#control ? rpcErrors.E_RPC_BUSY_CONTROL(room.most) : rpcErrors.E_RPC_BUSY(room.most)
    }
    return (room.byCaller.get(caller) ?? 0) >= room.each ? rpcErrors.E_RPC_BUSY_CALLER(room.each) : undefined
  }
}

function heldOn(socket: HoldingSocket): Slot[] {
  let held = socket[HELD]
  if (held === undefined) {
    held = []
    socket[HELD] = held
    // answers that wait behind another on their connection never tell that it is gone
    socket.on('close', gone)
  }
  return held
}

// one function each for all: what they need lies on the response and the socket

function answered(this: Holding): void {
  const slot = this[SLOT]
  if (slot !== undefined) leave(slot)
}

function gone(this: HoldingSocket): void {
  for (const slot of this[HELD]?.slice() ?? []) leave(slot)
}

/**
 * Frees slots whose work is done. Their answers still wait: for a client to read, or behind another answer on their connection, where a
 * single client could keep all others from controlling the node.
 */
function leaveAnswered({ slots }: Room): void {
  for (const slot of slots) if (slot.response.writableEnded) leave(slot)
}

function leave(slot: Slot): void {
  const { room, caller, held } = slot
  if (!room.slots.delete(slot)) return
  held.splice(held.indexOf(slot), 1)
  const left = room.byCaller.get(caller)! - 1
  if (left === 0) room.byCaller.delete(caller)
  else room.byCaller.set(caller, left)
}
