import { collect } from '../../../../core/cid/stream.ts'
import { ERROR_DETAIL } from '../../../../core/contract/http.ts'
import { decodeUtf8 } from '../../../../core/go/utf8.ts'
import {
  type Body,
  command,
  files,
  hasCode,
  Log,
  type Logger,
  type NodeConfig,
  NodeConfigModel,
  nothing,
  Repo
} from '../../../../core/index.ts'
import { changeConfig } from '../../change.ts'
import { configurationErrors } from '../../errors.ts'
import { decodeDocument, replaced } from '../../replacement.ts'
import { ConfigurationSettings } from '../../settings.ts'

export const replace = command.admin('config/replace', {
  help: 'Replace the node configuration by a file. Its secrets stay, and so do members of objects that the file does not name.',
  examples: [{ title: 'Write an edited configuration back', args: 'config replace node.json' }],
  needs: { repo: Repo, model: NodeConfigModel, settings: ConfigurationSettings, log: Log },
  body: files('file', 'The new configuration, as `config show` prints it.', { many: false }),
  reply: nothing(),
  async run(services, { body }) {
    const { model, settings, log } = services
    const text = await firstFile(body, settings.maxBytes)
    const document = decoded(model, text, log)
    await changeConfig(services, file => replaced(model, file, document), { mends: true })
  }
})

/** The message of the error is Kubo's, and says nothing of the place: the log does. */
function decoded(model: NodeConfigModel, text: string, log: Logger): NodeConfig {
  try {
    return decodeDocument(model, text)
  } catch (error) {
    if (hasCode(error, 'E_CONFIG_DECODE')) log.warn(`${error.message}: ${error.http?.headers?.[ERROR_DETAIL]}`)
    throw error
  }
}

async function firstFile(body: Body, most: number): Promise<string> {
  for await (const part of body) {
    if (part.kind !== 'file') throw configurationErrors.E_CONFIG_FILE('file argument was nil')
    return decodeUtf8(await collect(part.bytes(), most, () => configurationErrors.E_CONFIG_LARGE(most)))
  }
  throw configurationErrors.E_CONFIG_FILE('expected a file argument')
}
