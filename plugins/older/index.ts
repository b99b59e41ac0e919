/**
 * Commands of earlier releases that Kubo 0.28 has no more, as go-ipfs 0.4.23 had them. Off unless the configuration says otherwise.
 *
 * @packageDocumentation
 */
import { HeldInputs } from '../../core/body/held.ts'
import { plugin, service } from '../../core/index.ts'
import { edit } from './commands/config/edit.ts'
import { dns } from './commands/dns.ts'
import { fileLs } from './commands/file/ls.ts'
import { data } from './commands/object/data.ts'
import { get } from './commands/object/get.ts'
import { links } from './commands/object/links.ts'
import { newObject } from './commands/object/new.ts'
import { appendData } from './commands/object/patch/append-data.ts'
import { setData } from './commands/object/patch/set-data.ts'
import { put } from './commands/object/put.ts'
import { stat } from './commands/object/stat.ts'
import { fsck } from './commands/repo/fsck.ts'
import { tarAdd } from './commands/tar/add.ts'
import { tarCat } from './commands/tar/cat.ts'
import { update } from './commands/update.ts'
import { urlAdd } from './commands/urlstore/add.ts'
import { olderErrors } from './errors.ts'
import { OlderInputs, OlderSettings, olderSettings } from './settings.ts'

export default plugin({
  name: 'older',
  api: '^1',
  status: 'deprecated',
  offByDefault: true,
  about: 'Commands of earlier releases: the old interface to dag-pb nodes, archives, domains and what else is gone since.',
  settings: olderSettings,
  internal: [
    service(OlderInputs, { needs: { settings: OlderSettings }, make: s => new HeldInputs(s.settings.maxInputs, 'plugins.older.maxInputs') })
  ],
  commands: [dns, edit, fileLs, data, get, links, newObject, appendData, setData, put, stat, fsck, tarAdd, tarCat, update, urlAdd],
  errors: olderErrors
})
