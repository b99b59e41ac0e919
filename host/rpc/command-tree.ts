import { Binding } from '../../core/binding/binding.ts'
import { decodeUtf8 } from '../../core/go/utf8.ts'
import type { Calls, Command, Encoding, SwitchedOff } from '../../core/index.ts'
import { Encoders } from '../encode/encoders.ts'

/** The target of a path: a command, or a group of them, which answers nothing. */
export interface Endpoint {
  readonly command: Command | undefined
  readonly binding: Binding
  /** The encoding of that name; undefined for a name that stands for none. */
  encoding(name: string): Encoding | undefined
}

/** A request's path as an endpoint, and the argument that its last word is, if any. */
export interface FoundEndpoint {
  readonly endpoint: Endpoint
  readonly word: string | undefined
}

/** Why a path leads nowhere: undefined when nothing is known about it. */
interface Absent {
  readonly reason: string | undefined
}

interface Node {
  readonly children: Map<string, Node>
  command: Command | undefined
  endpoint: Endpoint | undefined
  /** The setting that turned the command off. */
  off: string | undefined
}

const PREFIX = '/api/v0/'

/** Names that only a command line has, below commands that take arguments: over HTTP they are no argument (Kubo 0.28, core/commands/config.go). */
const COMMAND_LINE_ONLY: readonly string[] = ['config/edit']

/** The commands of a host by path, and the groups between. Paths lead as in go-ipfs-cmds 0.10 (http/parse.go). */
export class CommandTree {
  readonly #calls: Pick<Calls, 'binding' | 'encoding'>
  readonly #root = leaf()
  /** Paths of commands without arguments in them, for which nothing has to be taken apart. */
  readonly #known = new Map<string, FoundEndpoint>()

  constructor(calls: Pick<Calls, 'commands' | 'binding' | 'encoding'>, off: readonly SwitchedOff[]) {
    this.#calls = calls
    for (const command of calls.commands()) {
      // one that is not served keeps its place, so that its name is no argument of the command above it
      const node = this.#grow(command.path)
      if (!command.local) node.command = command
    }
    for (const path of COMMAND_LINE_ONLY) this.#grow(path)
    for (const { path, reason, isDefault } of off) if (!isDefault) this.#grow(path).off = reason
  }

  /**
   * @param path - of the request, still percent-encoded; an escaped slash separates too
   * @throws nothing: a broken escape leads nowhere
   */
  find(path: string): FoundEndpoint | Absent {
    const known = this.#known.get(path)
    if (known !== undefined) return known
    const found = this.#search(pathWords(path))
    if ('endpoint' in found && found.word === undefined && this.#known.size < 1024) this.#known.set(path, found)
    return found
  }

  /** Whether a path leads to a command that is for the control of the node. */
  isControl(path: string): boolean {
    const found = this.find(path)
    return 'endpoint' in found && found.endpoint.command?.control === true
  }

  #search(words: readonly string[] | undefined): FoundEndpoint | Absent {
    if (words === undefined) return ABSENT
    let node = this.#root
    for (let i = 0; i < words.length - 1; i++) {
      const next = node.children.get(words[i]!)
      if (next === undefined) return ABSENT
      node = next
    }
    const word = words.at(-1)!
    const child = node.children.get(word)
    if (child !== undefined) return this.#at(child, undefined)
    return node === this.#root || isGroup(node) ? ABSENT : this.#at(node, word)
  }

  #at(node: Node, word: string | undefined): FoundEndpoint | Absent {
    if (node.command === undefined && node.off !== undefined) return { reason: node.off }
    if (node.command === undefined && !reaches(node)) return { reason: firstReason(node) }
    node.endpoint ??= {
      command: node.command,
      ...this.#told(node.command)
    }
    return { endpoint: node.endpoint, word }
  }

  /** A command's declaration as words and answers need it; of a group, what the global options do. */
  #told(command: Command | undefined): Pick<Endpoint, 'binding' | 'encoding'> {
    const calls = this.#calls
    if (command !== undefined) return { binding: calls.binding(command), encoding: name => calls.encoding(command, name) }
    const encoders = new Encoders(undefined)
    return { binding: new Binding(), encoding: name => encoders.get(name) }
  }

  #grow(path: string): Node {
    let node = this.#root
    for (const word of path.split('/')) {
      let next = node.children.get(word)
      if (next === undefined) {
        next = leaf()
        node.children.set(word, next)
      }
      node = next
    }
    return node
  }
}

const ABSENT: Absent = { reason: undefined }

function leaf(): Node {
  return { children: new Map(), command: undefined, endpoint: undefined, off: undefined }
}

function isGroup(node: Node): boolean {
  return node.command === undefined && node.off === undefined
}

/** Whether some command at or below is on. */
function reaches(node: Node): boolean {
  return node.command !== undefined || [...node.children.values()].some(reaches)
}

function firstReason(node: Node): string | undefined {
  return node.off ?? [...node.children.values()].map(firstReason).find(reason => reason !== undefined)
}

/** The words of a path under `/api/v0/`, decoded before they are split; undefined for a broken escape. */
function pathWords(path: string): string[] | undefined {
  const pathAfter = path.slice(PREFIX.length)
  if (!pathAfter.includes('%')) return decodeUtf8(Buffer.from(pathAfter, 'latin1')).split('/')
  if (/%(?![0-9a-f]{2})/i.test(pathAfter)) return undefined
  const bytes = pathAfter.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return decodeUtf8(Buffer.from(bytes, 'latin1')).split('/')
}
