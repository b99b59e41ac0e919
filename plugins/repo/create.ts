import type { InitOptions, NodeConfig, NodeConfigModel } from '../../core/index.ts'
import { generateIdentity } from '../../core/keys/keypair.ts'
import { identityIn } from '../../core/repo/identity.ts'
import { repoErrors } from './errors.ts'

/**
 * The configuration of a new node: the given one over the defaults, or the defaults, and the profiles upon it. A key pair is made
 * unless the given configuration brings one.
 *
 * @throws E_INIT_PROFILE, E_KEY_TYPE, E_KEY_TOO_SMALL, E_KEY_TOO_LARGE, E_REPO_IDENTITY
 */
export async function newConfig(
  model: NodeConfigModel,
  { profiles = [], algorithm, bits, config: given = {} }: InitOptions
): Promise<NodeConfig> {
  const unknown = profiles.find(name => !model.profiles().has(name))
  if (unknown !== undefined) throw repoErrors.E_INIT_PROFILE(unknown)
  model.typed(given)
  const identity = hasIdentity(given) ? identityIn(given, 'the given configuration') : await generateIdentity(algorithm, bits)
  let config = model.merge(model.create(identity), given)
  for (const name of profiles) config = model.merge(config, await model.applyProfile(name, config))
  return model.merge(config, { Identity: model.create(identity)['Identity']! })
}

function hasIdentity(config: NodeConfig): boolean {
  const { PrivKey } = (config['Identity'] ?? {}) as { PrivKey?: unknown }
  return PrivKey !== undefined && PrivKey !== ''
}
