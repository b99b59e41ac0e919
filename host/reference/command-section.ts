import { type Command, namesOf, type ParameterSpec, type Parameters, type Plugin, wireName } from '../../core/index.ts'
import { takes } from '../openapi/bodies.ts'
import { blocks, code, table } from './markdown.ts'
import { replyText } from './reply-text.ts'

/** The part of a group's page that is about one command. */
export function commandSection(command: Command, plugin: Plugin): string {
  const { path, help, access, args, options, body, examples, local } = command
  const words = path.replaceAll('/', ' ')
  const usage = ['holdfast', words, Object.keys(options).length > 0 ? '[OPTIONS]' : '', ...usageOf(command)].filter(word => word !== '')
  return blocks(
    `## ${words}`,
    help,
    `\`\`\`\n${usage.join(' ')}\n${local ? '' : `POST /api/v0/${path}\n`}\`\`\``,
    `${statusText(command, plugin)} Access: ${access}.${local ? ' Not served over HTTP.' : ''}`,
    table(
      ['Argument', 'Kind', ''],
      Object.entries(args).map(([key, { spec }]) => [code(wireName(key, spec)), spec.format, argumentText(spec)])
    ),
    optionsTable(options),
    body === undefined
      ? ''
      : `Body: ${code(body.name)}${body.help === '' ? '.' : `: ${body.help}`} ${takes(body)} See [uploads](../clients.md#uploads).`,
    `Answer: ${replyText(command)}`,
    examples.length === 0 ? '' : `\`\`\`sh\n${examples.map(({ title, args: line }) => `# ${title}\nholdfast ${line}\n`).join('\n')}\`\`\``
  )
}

function usageOf({ args, body }: Command): string[] {
  const words = Object.entries(args).map(([key, { spec }]) => {
    const name = `${wireName(key, spec).toUpperCase()}${spec.many ? '…' : ''}`
    return spec.optional || spec.default !== undefined ? `[${name}]` : name
  })
  return body === undefined ? words : [...words, `${body.name.toUpperCase()}…`]
}

function statusText({ path, status }: Command, plugin: Plugin): string {
  const off = `\`commands: { "${path}": off }\``
  const ways = [off, ...(status === 'regular' || status === plugin.status ? [] : [`\`plugins: { ${status}: off }\``])]
  return `${status === 'regular' ? '' : `Status: ${status}. `}Off with ${ways.join(' or ')}.`
}

/** Options with their names as they are typed. */
export function optionsTable(options: Parameters): string {
  return table(
    ['Option', 'Kind', 'Default', ''],
    Object.entries(options).map(([key, { spec }]) => [namesText(key, spec), kindText(spec), defaultText(spec), optionText(spec)])
  )
}

const dashed = (name: string) => code(`${name.length === 1 ? '-' : '--'}${name}`)

function namesText(key: string, spec: ParameterSpec): string {
  return namesOf(key, spec).map(dashed).join(', ')
}

function kindText({ wire, format, many }: ParameterSpec): string {
  const kind = wire === 'string' && format !== 'text' ? format : wire
  return many ? `${kind}, repeated` : kind
}

function defaultText({ default: value, format }: ParameterSpec): string {
  if (value === undefined || value === '') return ''
  if (format === 'duration' && typeof value === 'bigint') return code(`${value}ns`)
  return code(Array.isArray(value) ? value.join(' ') : String(value))
}

function optionText({ help, choices }: ParameterSpec): string {
  return choices === undefined ? help : `${help} One of ${choices.map(code).join(', ')}.`
}

function argumentText({ help, optional, default: value, many, fromBody }: ParameterSpec): string {
  const more = [
    optional || value !== undefined ? 'May be left out.' : '',
    many ? 'Any number of them.' : '',
    fromBody ? 'May come in the body, one a line.' : ''
  ]
  return [help, ...more].filter(text => text !== '').join(' ')
}
