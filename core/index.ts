/**
 * The contract that plugins are written against.
 *
 * ```ts
 * import { command, p, plugin, value } from 'holdfast'
 * import { z } from 'zod'
 *
 * const hello = command.read('hello', {
 *   help: 'Greet somebody.',
 *   args: { name: p.string('Whom to greet.') },
 *   reply: value(z.object({ Message: z.string() })),
 *   run: (_, { args }) => ({ Message: `hello, ${args.name}` })
 * })
 *
 * export default plugin({ name: 'hello', api: '^1', about: 'Greets.', commands: [hello] })
 * ```
 *
 * @packageDocumentation
 */
export { Key } from 'interface-datastore'
export { CID } from 'multiformats/cid'
export type { Lines } from './binding/arguments.ts'
export type { Binding, CallValues, Words } from './binding/binding.ts'
export { callErrors } from './binding/errors.ts'
export { FastBlockstore } from './blocks/blockstore.ts'
export { fastBlocks } from './blocks/fast.ts'
export type { Access, Grant } from './contract/access.ts'
export { demand, denial, narrowed, permits } from './contract/access.ts'
export type { Body, BodyDeclaration, BodyPart, BytesOptions } from './contract/body.ts'
export { files } from './contract/body.ts'
export type { Authorization, Caller, HeaderFields } from './contract/caller.ts'
export type {
  BlockUse,
  Call,
  Command,
  CommandDeclaration,
  Declaration,
  Declared,
  Example,
  FailureDeclaration,
  NewRepoPlace,
  Progress,
  ProgressDeclaration,
  Saving,
  Status,
  TextOf
} from './contract/command.ts'
export { atLevel } from './contract/command.ts'
export { matchesPath } from './contract/command-pattern.ts'
export { command } from './contract/declare.ts'
export type { Beyond, DeclaredHook, Hook, HookDeclaration, HookFunction, MalformedCall, RouteVisit, Surrounded } from './contract/hook.ts'
export { hook, whenOver } from './contract/hook.ts'
export { ERROR_DETAIL, type HttpError, type HttpWords } from './contract/http.ts'
export { DEFAULT_LEVEL, RPC_LEVELS, type RpcLevel, versionOfLevel } from './contract/level.ts'
export type {
  ListenAt,
  ListenAtMultiaddr,
  ListenAtPort,
  ListenAtSocket,
  ListenerCallers,
  ListenerDeclaration,
  OpenAddress
} from './contract/listeners.ts'
export { listener, listenerSettings } from './contract/listeners.ts'
export type {
  AnyParameter,
  Arguments,
  Completion,
  Format,
  GlobalOptions,
  Options,
  ParameterSpec,
  Parameters,
  WireKind
} from './contract/params.ts'
export { globalOptions, namesOf, Parameter, p, wireName } from './contract/params.ts'
export type { AnyProvision, Kept, Maker, NodeKeys, Plugin, PluginDeclaration, Provision, Startable } from './contract/plugin.ts'
export { API_VERSION, Log, plugin, ready, Settings, service, settings } from './contract/plugin.ts'
export type {
  BytesReply,
  EitherReply,
  Item,
  NothingReply,
  Octets,
  Reply,
  Result,
  Returns,
  StreamReply,
  ValueReply
} from './contract/reply.ts'
export { bytes, either, nothing, stream, value } from './contract/reply.ts'
export type { RouteContext, RouteDeclaration, RouteMethod, UpgradeDeclaration } from './contract/routes.ts'
export { route } from './contract/routes.ts'
export { Secret, setting } from './contract/setting.ts'
export { refuseDeniedBlock, refuseDeniedPath, withoutDenied } from './denial.ts'
export { blockErrors, commonErrors, denialErrors, networkErrors, routingErrors } from './errors/index.ts'
export type { ErrorDeclaration, ErrorFactories, ErrorList, WireCode } from './errors.ts'
export { defineErrors, hasCode, httpOf, messageOf, NodeError, prefixed, wireCodes } from './errors.ts'
export { type HealthReport, healthReport } from './health-report.ts'
export type { NodeKeyEffect } from './repo/node-key.ts'
export { isKeyBelow, nodeKeyEffect } from './repo/node-key.ts'
export * from './services/index.ts'
export type { Need, Needs, Optional, Service, Services, Token } from './token.ts'
export { inner, isOptional, optional, token, tokenName, tokenOf } from './token.ts'
export type { Metadata, Mtime } from './unixfs/metadata.ts'
