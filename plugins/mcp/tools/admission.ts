import { type Access, type Command, type Grant, matchesPath, permits } from '../../../core/index.ts'
import type { McpSettings } from '../settings.ts'

/** Whether a command is offered as a tool: the grant of its calls, or why it is not. */
type Admission = { readonly grant: Grant } | { readonly why: string }

export function admission({ path, access, local }: Command, settings: Pick<McpSettings, 'access' | 'commands'>): Admission {
  if (local) return { why: 'it is for the command line alone' }
  const deciding = settings.commands.findLast(pattern => matchesPath(patternOf(pattern), path))
  if (deciding?.startsWith('!')) return { why: `plugins.mcp.commands leaves it out: '${deciding}'` }
  if (deciding !== undefined) return { grant: granting(permits({ access: settings.access }, access) ? settings.access : access) }
  if (permits({ access: settings.access }, access)) return { grant: granting(settings.access) }
  return { why: `it takes the access '${access}', and plugins.mcp.access is '${settings.access}'` }
}

/** The grant of calls of tools, as far as `access` says; the host checks it with each call. */
const granting = (access: Access): Grant => ({ access })

/** The pattern of a command's path in one of the setting's entries. */
export function patternOf(entry: string): string {
  return entry.replace(/^!/, '')
}
