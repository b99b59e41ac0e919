import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole, writeWholeThrough } from '../../../../core/files/whole.ts'
import { decodeUtf8 } from '../../../../core/go/utf8.ts'
import { command, messageOf, NodeConfigModel, nothing, RepoLocation } from '../../../../core/index.ts'
import { olderErrors } from '../../errors.ts'

export const edit = command.admin('config/edit', {
  status: 'deprecated',
  local: true,
  help: 'Edit the node configuration with the program that $EDITOR names. It takes the place of the file once it can be read.',
  needs: { location: RepoLocation, model: NodeConfigModel },
  reply: nothing(),
  async run({ location, model }, { signal }) {
    const editor = process.env['EDITOR']
    if (!editor) throw olderErrors.E_EDITOR()
    if (location.path === undefined) throw olderErrors.E_EDIT_REPO()
    const file = join(location.path, 'config')
    const copy = `${file}-edit-${randomBytes(4).toString('hex')}`
    await writeWhole(copy, await readFile(file))
    await runEditor(editor, copy, signal).catch(async error => {
      await rm(copy, { force: true })
      throw error
    })
    const bytes = await readFile(copy)
    try {
      model.checkStart(model.parse(decodeUtf8(bytes), copy), copy)
    } catch (error) {
      throw olderErrors.E_EDITED(messageOf(error), copy)
    }
    await writeWholeThrough(file, bytes)
    await rm(copy)
  }
})

/** A shell reads what `$EDITOR` says, as it may have options of its own. */
async function runEditor(editor: string, file: string, signal: AbortSignal): Promise<void> {
  const child = spawn('sh', ['-c', `${editor} "$1"`, 'config edit', file], { stdio: 'inherit', signal })
  const [status, killed] = (await once(child, 'close')) as [number | null, string | null]
  if (status !== 0) throw olderErrors.E_EDITOR_FAILED(killed ?? `status ${status}`)
}
