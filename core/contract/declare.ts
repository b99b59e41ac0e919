import type { Needs } from '../token.ts'
import type { Access } from './access.ts'
import type { BodyDeclaration } from './body.ts'
import type { CommandDeclaration, Declared } from './command.ts'
import type { Parameters } from './params.ts'
import type { Reply } from './reply.ts'

/**
 * Declares a command: its path, parameters, reply and what it does. The route, the checks, the command line, the documents and the
 * client all come from this.
 *
 * @param path - `pin/add`: under `/api/v0/` on the wire, with spaces on a command line
 * @throws TypeError at once when the declaration contradicts itself (a path with a slash at its end, an argument after one that takes all)
 */
type Declare = <
  const N extends Needs = {},
  const A extends Parameters = {},
  const O extends Parameters = {},
  R extends Reply = Reply,
  const B extends BodyDeclaration | undefined = undefined
>(
  path: string,
  declaration: CommandDeclaration<N, A, O, R, B>
) => Declared<A, O, R, B>

/** The constructors of commands, one for each access that a caller's grant has to cover: `command.read('pin/ls', { … })`. */
export const command: {
  /** A command that tells of something and changes nothing. Every caller may call it, also one who is granted no more than `read`. */
  readonly read: Declare
  /** A command that changes what the node holds or what it tells others, for callers who are granted `write`. It `stores` blocks unless it says otherwise. */
  readonly write: Declare
  /** A command over the node itself, its secrets or its machine, for callers who are granted `admin`. */
  readonly admin: Declare
} = Object.assign(refuseOldForm, { read: declaring('read'), write: declaring('write'), admin: declaring('admin') })

function declaring(access: Access): Declare {
  return (path, declaration) => {
    if ('path' in declaration || 'access' in declaration) refuseOldForm({ access, ...declaration, path })
    check(path, declaration)
    return {
      status: 'regular',
      blocks: access === 'write' ? 'stores' : 'neither',
      examples: [],
      needs: {},
      options: {},
      levels: {},
      body: undefined,
      text: undefined,
      terminal: undefined,
      escapes: [],
      xml: undefined,
      progress: undefined,
      failure: undefined,
      saves: undefined,
      control: false,
      local: false,
      newRepo: undefined,
      onlyReads: () => access === 'read',
      ...declaration,
      args: declaration.args ?? {},
      path,
      access
    } as never
  }
}

/** The end of a declaration that names its path or its access in the object, as `command({ path, access, … })` did. @throws TypeError */
function refuseOldForm(declaration?: { readonly path?: unknown; readonly access?: unknown }): never {
  const { path = 'pin/ls', access = 'read' } = declaration ?? {}
  throw new TypeError(`command '${path}': write command.${access}('${path}', { … }), with neither 'path' nor 'access' in the object`)
}

function check(
  path: string,
  { args = {}, local, newRepo }: Pick<CommandDeclaration<Needs, Parameters, {}, Reply, undefined>, 'args' | 'local' | 'newRepo'>
) {
  if (!/^[a-z0-9]+([-/][a-z0-9]+)*$/i.test(path)) throw new TypeError(`command '${path}': a path is words joined by '/', e.g. 'pin/add'`)
  if (newRepo !== undefined && local !== true)
    throw new TypeError(`command '${path}': only one that is local is run where there is no repo, so newRepo says nothing`)
  const specs = Object.entries(args)
  specs.forEach(([name, { spec }], i) => {
    if (spec.many && i < specs.length - 1)
      throw new TypeError(`command '${path}': argument '${name}' takes all that are left, so it must be the last`)
    if (spec.fromBody && spec.wire !== 'string')
      throw new TypeError(`command '${path}': argument '${name}' cannot come from a body, as it is no string`)
  })
}
