import { blockOptions } from '../../core/blocks/options.ts'
import { cidToString } from '../../core/cid/parse.ts'
import { loadProtoNode, type ProtoNode, type StoredNode } from '../../core/dag/proto-node.ts'
import { type BlockOptions, type Call, Host, p, type Services } from '../../core/index.ts'
import { checkBase, type LinkChange } from './base.ts'
import { nodeSources } from './nodes.ts'
import { checkPatched, Patch } from './patch.ts'
import { hashReply, hashText } from './replies.ts'
import { ObjectSettings } from './settings.ts'

const needs = { ...nodeSources, settings: ObjectSettings, host: Host }

/** The declaration that commands share which change the links of an object. */
export const patching = { status: 'deprecated', needs, reply: hashReply, xml: 'Object', text: hashText } as const

export const patchArgs = {
  root: p.contentPath('The object to start from.'),
  name: p.string('Name of the link; a path changes an object below the root.')
}

type PatchCall = Call<
  { readonly root: string },
  { readonly allowBigBlock: boolean; readonly allowNonUnixfs?: boolean | undefined; readonly create?: boolean | undefined }
>

/** The answer of such a command. @throws what the change does, and where the object or its size does not allow it */
export async function patched(
  { settings, host, ...sources }: Services<typeof needs>,
  call: PatchCall,
  kind: LinkChange,
  change: (patch: Patch, root: ProtoNode, how: BlockOptions) => Promise<StoredNode>
): Promise<{ Hash: string }> {
  const { args, options, signal } = call
  const how = blockOptions(call)
  const { node: root } = await loadProtoNode(args.root, sources, how)
  if (host.level === '0.42' && options.allowNonUnixfs !== true) checkBase(root, kind)
  const patch = new Patch(sources, { ...how, signal, create: options.create, maxDepth: settings.maxDepth })
  const made = await change(patch, root, how)
  checkPatched(made, options.allowBigBlock)
  return { Hash: cidToString(made.cid) }
}
