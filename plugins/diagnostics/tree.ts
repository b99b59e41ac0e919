import { z } from 'zod'
import { type Command, globalOptions, namesOf, type Parameters } from '../../core/index.ts'

/** A command or a group, and what lies below it. */
export interface CommandNode {
  Name: string
  Subcommands: CommandNode[]
  Options: { Names: string[] }[]
}

export const commandNode: z.ZodType<CommandNode, CommandNode> = z.object({
  Name: z.string(),
  Subcommands: z.array(z.lazy(() => commandNode)),
  Options: z.array(z.object({ Names: z.array(z.string()) }))
})

/** Commands by their paths under one root, which bears the options that all of them take. */
export function treeOf(commands: readonly Command[]): CommandNode {
  const root: CommandNode = { Name: 'ipfs', Subcommands: [], Options: optionsOf(globalOptions) }
  for (const { path, options } of commands) {
    path.split('/').reduce(below, root).Options = optionsOf(options)
  }
  return root
}

/** The node of that name below another, made where there is none. */
function below({ Subcommands }: CommandNode, name: string): CommandNode {
  const found = Subcommands.find(node => node.Name === name)
  if (found !== undefined) return found
  const made: CommandNode = { Name: name, Subcommands: [], Options: [] }
  Subcommands.push(made)
  return made
}

const optionsOf = (options: Parameters) => Object.entries(options).map(([declared, { spec }]) => ({ Names: namesOf(declared, spec) }))

/** A line for each command, and for each of its options where asked, sorted. */
export function linesOf(root: CommandNode, { flags }: { flags: boolean }): string[] {
  const lines: string[] = []
  const walk = (node: CommandNode, path: string) => {
    lines.push(path)
    if (flags && node !== root) {
      for (const { Names } of node.Options) lines.push(Names.map(name => `${path} ${name.length > 1 ? '--' : '-'}${name}`).join(' / '))
    }
    for (const child of node.Subcommands) walk(child, `${path} ${child.Name}`)
  }
  walk(root, root.Name)
  return lines.sort()
}
