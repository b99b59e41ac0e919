import { command, type Identity, Keys, nothing, p, Repo, SELF } from '../../../core/index.ts'
import { generateIdentity } from '../../../core/keys/index.ts'
import { keysErrors } from '../errors.ts'

export const rotate = command.admin('key/rotate', {
  local: true,
  help: 'Give the node a new key pair, and with it a new peer ID; the old one is kept under a name. The node must not be running.',
  needs: { keys: Keys, repo: Repo },
  options: {
    oldkey: p.name('Name for the old key pair.').alias('o'),
    type: p.string('Type of the new one.').alias('t').default('ed25519').oneOf('ed25519', 'rsa'),
    size: p.int('Bits of an RSA key, 2048 to 8192.').alias('s')
  },
  reply: nothing(),
  async run({ keys, repo }, { options }) {
    const { oldkey, type, size } = options
    if (oldkey === undefined || oldkey === '') throw keysErrors.E_ROTATE_NAME()
    if (oldkey === SELF) throw keysErrors.E_ROTATE_SELF()
    const old = repo.identity
    const next = await generateIdentity(type, size)
    // one that was killed between the two steps is gone through again
    if ((await keys.get(oldkey))?.peerId !== old.peerId) await keys.import(oldkey, old)
    await repo.updateConfig(config => ({ ...config, Identity: { ...(config['Identity'] as object), ...inConfig(next) } }))
  }
})

const inConfig = ({ peerId, privateKey }: Identity) => ({ PeerID: peerId, PrivKey: Buffer.from(privateKey).toString('base64') })
