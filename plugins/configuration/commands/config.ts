import { z } from 'zod'
import { goJsonIndented } from '../../../core/go/json.ts'
import { goQuote } from '../../../core/go/quote.ts'
import { command, hasCode, type Json, messageOf, type NodeConfig, NodeConfigModel, p, Repo, value } from '../../../core/index.ts'
import { bootstrapList, expandedList } from '../bootstrap/list.ts'
import { type Changing, changeConfig } from '../change.ts'
import { configurationErrors } from '../errors.ts'
import { MAX_DEPTH, parseJson } from '../json.ts'
import { checkKey, shownAt } from '../keys.ts'
import { ConfigurationSettings } from '../settings.ts'

interface FormatFlags {
  readonly bool: boolean | undefined
  readonly json: boolean | undefined
}

export const config = command.admin('config', {
  help: 'Show or set a value of the node configuration. Most of it takes effect at the next start.',
  examples: [
    { title: 'Show a value', args: 'config Datastore.StorageMax' },
    { title: 'Set a text', args: 'config Datastore.StorageMax 20GB' },
    { title: 'Set a value that is no text', args: 'config --json Datastore.StorageGCWatermark 80' }
  ],
  needs: { repo: Repo, model: NodeConfigModel, settings: ConfigurationSettings },
  args: {
    key: p.string('The key, its parts joined by dots, e.g. Addresses.API.'),
    value: p.string('The value to set it to. With more than one, nothing is set.').many().optional().secret()
  },
  options: {
    bool: p.bool('Set true where the value is `true`, else false.'),
    json: p.bool('Set what the value says as JSON.'),
    expandAuto: p.bool('Show the peers of a new node in place of the word `auto` in Bootstrap.')
  },
  reply: value(z.object({ Key: z.string(), Value: z.unknown().describe('Null for a secret that was set.') })),
  xml: 'ConfigField',
  text({ Value }, { args }) {
    if (args.value.length === 1) return ''
    return `${typeof Value === 'string' ? Value : goJsonIndented(Value)}\n`
  },
  onlyReads: ({ args }) => args.value.length !== 1,
  async run(services, { args, options }) {
    const { repo, model } = services
    const [text, ...more] = args.value
    checkKey(args.key)
    if (options.expandAuto === true && args.value.length > 0) throw configurationErrors.E_CONFIG_EXPAND()
    if (options.expandAuto === true && args.key === 'Bootstrap')
      return { Key: args.key, Value: [...expandedList(services, bootstrapList(services, repo.config()))] }
    if (text === undefined || more.length > 0) return { Key: args.key, Value: shown(services, args.key) }
    await set(services, args.key, parsed(text, args.key, options))
    return { Key: args.key, Value: shownAt(model, repo.config({ withRefused: true }), args.key) ?? null }
  }
})

/** @throws E_CONFIG_GET, E_CONFIG_SECRET */
function shown({ repo, model }: Changing, key: string): Json {
  const file = repo.config()
  try {
    const found = shownAt(model, file, key)
    if (found === undefined) throw configurationErrors.E_CONFIG_SECRET(key)
    return found
  } catch (error) {
    throw isAboutKey(error) ? configurationErrors.E_CONFIG_GET(goQuote(messageOf(error))) : error
  }
}

/** @throws E_CONFIG_SET, E_CONFIG_PEER_ID */
async function set(services: Changing, key: string, to: Json): Promise<void> {
  try {
    const change = (file: NodeConfig) => {
      const next = services.model.write(file, key, to)
      checkPeerId(services, file, next)
      return next
    }
    await changeConfig(services, change, { mends: true })
  } catch (error) {
    if (hasCode(error, 'E_CONFIG_TYPE')) throw configurationErrors.E_CONFIG_SET(`failure to decode config: ${messageOf(error)}`)
    throw isAboutKey(error) ? configurationErrors.E_CONFIG_SET(messageOf(error)) : error
  }
}

/** A change that gives the node another peer ID, with which it would not start, as its private key has not got it. */
function checkPeerId({ model, repo }: Changing, file: NodeConfig, next: NodeConfig): void {
  const [before, after] = [file, next].map(config => (model.typed(config, () => {})['Identity'] as { readonly PeerID: string }).PeerID)
  if (after !== before && after !== '' && after !== repo.identity.peerId)
    throw configurationErrors.E_CONFIG_PEER_ID(after!, repo.identity.peerId)
}

function parsed(text: string, key: string, { bool, json }: FormatFlags): Json {
  const above = key.split('.').length
  if (above > MAX_DEPTH) throw configurationErrors.E_CONFIG_SET(`${key.slice(0, 40)}… has more than ${MAX_DEPTH} parts`)
  if (!json) return bool ? text === 'true' : text
  try {
    return parseJson(text, MAX_DEPTH - above)
  } catch (error) {
    throw configurationErrors.E_CONFIG_JSON(messageOf(error))
  }
}

const isAboutKey = (error: unknown) => hasCode(error, 'E_CONFIG_KEY_ABSENT') || hasCode(error, 'E_CONFIG_KEY_PARENT')
