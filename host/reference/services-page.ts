import { OF_EVERY_PLUGIN } from '../../core/contract/plugin.ts'
import { type Plugin, tokenName } from '../../core/index.ts'
import { HOST_SERVICES } from '../services.ts'
import { blocks, code, GENERATED, table } from './markdown.ts'
import type { MemberText, ServiceText, ServiceTexts } from './service-types.ts'

/** The reference of every service that a plugin can need, with all its methods. @throws Error for a service that is not described */
export function servicesPage(plugins: readonly Plugin[], { services, types }: ServiceTexts): string {
  const providers = providersOf(plugins)
  const described = new Set(services.map(({ name }) => name))
  for (const [name, by] of providers)
    if (!described.has(name))
      throw new Error(`the service '${name}' of ${by.join(', ')} has no token in core/services: nobody could need it`)
  const sorted = [...services].sort((a, b) => (a.token < b.token ? -1 : 1))
  const names = new Set(types.map(({ name }) => name))
  return blocks(
    GENERATED,
    '# Services',
    [
      'What a plugin can need of the node and of other plugins, and what it may provide in their place: see',
      '[Writing a plugin](plugins.md#a-service-of-ones-own). Tokens and types are imported from `holdfast`. The name is what the configuration',
      'calls a service (`services: { NAME: PLUGIN }`). Types of the contract itself (`Command`, `Result`, `Body`, …) carry their descriptions in',
      'their declarations.'
    ].join('\n'),
    table(
      ['Token', 'Name', 'Provided by', ''],
      sorted.map(({ token, name, comment }) => [
        `[${token}](#${token.toLowerCase()})`,
        code(name),
        (providers.get(name) ?? ['nobody yet: need it as `optional(…)`, or provide it']).join(', '),
        firstSentence(comment)
      ])
    ),
    ...sorted.map(service => section(service, names)),
    '## Types',
    ...types.map(({ name, source }) => blocks(`### ${name}`, fenced(source)))
  )
}

/** The providers of each service, by its name. */
function providersOf(plugins: readonly Plugin[]): Map<string, string[]> {
  const providers = new Map<string, string[]>()
  const add = (name: string, by: string) => providers.set(name, [...(providers.get(name) ?? []), by])
  for (const token of OF_EVERY_PLUGIN) add(tokenName(token), 'the host, to each plugin its own')
  for (const token of HOST_SERVICES) if (!OF_EVERY_PLUGIN.has(token)) add(tokenName(token), 'the host')
  for (const { name, commands, provides } of plugins)
    for (const { token } of provides) add(tokenName(token), commands.length > 0 ? `[${name}](commands/${name}.md)` : name)
  return providers
}

function section({ token, comment, members }: ServiceText, types: ReadonlySet<string>): string {
  const spokenOf = [...new Set(members.flatMap(({ signatures }) => signatures.join(' ').match(/\b[A-Z]\w*/g) ?? []))]
  const links = spokenOf.filter(name => types.has(name)).map(name => `[${name}](#${name.toLowerCase()})`)
  const libraries = [...new Set(members.map(({ library }) => library).filter(library => library !== undefined))]
  return blocks(
    `## ${token}`,
    prose(comment),
    links.length > 0 ? `Types: ${links.join(', ')}.` : '',
    ...members.filter(({ library }) => library === undefined).map(memberText),
    ...libraries.map(library => {
      const inherited = members.filter(member => member.library === library)
      return blocks(`From ${code(library)}, which describes them:`, fenced(inherited.flatMap(({ signatures }) => signatures).join('\n')))
    })
  )
}

function memberText({ signatures, comment }: MemberText): string {
  return blocks(fenced(signatures.join('\n')), prose(comment))
}

const fenced = (source: string) => `\`\`\`ts\n${source}\n\`\`\``

/** The text of a doc comment: its tags as sentences, its links as code. */
export function prose(comment: string): string {
  const lines = comment
    .replace(/^\/\*\*/, '')
    .replace(/\*\/$/, '')
    .split('\n')
    .map((line, i) => (i === 0 ? line : line.trim().replace(/^\* ?/, '')))
  const text = lines
    .join('\n')
    .replace(/\{@link ([\w.]+)\}/g, '`$1`')
    .trim()
  const [said = '', ...tags] = text.split(/(?:^|\s)@(?=throws|returns|param\b)/)
  return blocks(said, ...tags.map(tagText)).trimEnd()
}

const TAGS: Readonly<Record<string, string>> = { throws: 'Throws', returns: 'Returns' }

function tagText(tag: string): string {
  const [, kind = '', content = ''] = /^(\w+)\s+([\s\S]*)$/.exec(tag) ?? []
  const text = content.trim().replace(/\.$/, '')
  if (kind !== 'param') return `${TAGS[kind]} ${text}.`
  const [, name = '', about = ''] = /^(\w+)\s*-?\s*([\s\S]*)$/.exec(text) ?? []
  return `${code(name)}: ${about}.`
}

function firstSentence(comment: string): string {
  const [first = ''] = prose(comment).split('\n\n')
  const line = first.replaceAll('\n', ' ')
  const end = line.indexOf('. ')
  return end < 0 ? line : line.slice(0, end + 1)
}
