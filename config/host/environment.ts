/** The environment variables that a node reads, and what each does. */
export const environment = {
  HOLDFAST_PATH: "The repo's folder, where no `--repo` names one.",
  IPFS_PATH: "The repo's folder, where neither `--repo` nor HOLDFAST_PATH names one.",
  HOLDFAST_CONFIG:
    'The file with the host configuration, where no `--config` names one. Give a whole path: a relative one means another file in each folder.',
  HOLDFAST_RPC_LEVEL: 'The level of the RPC, `0.28` or `0.42`, in the place of `rpc.level` of the host configuration.',
  HOLDFAST_OFFLINE: 'With `1`, `holdfast daemon` talks to no peers, as with `--offline`, whatever the configuration says.',
  HOLDFAST_API: 'The RPC address that the command line calls, where no `--api` names one.',
  HOLDFAST_API_AUTH: 'The secret that the command line calls it with, where neither `--api-auth` nor `--api-auth-file` gives one.',
  HOLDFAST_API_AUTH_FILE: 'A file with that secret, for this user alone (mode 0600), where nothing else gives one.',
  HOLDFAST_KEY_PASSPHRASE_FILE:
    'A file with the passphrase that private keys are encrypted under (mode 0600), where `plugins.keys.passphraseFile` names none.',
  HOLDFAST_KEY_PASSPHRASE: 'That passphrase itself, where no file is named.',
  XDG_CONFIG_HOME: "The folder that has the user's own configuration in its folder `holdfast`: `~/.config` where it is not set.",
  XDG_STATE_HOME:
    'The folder for what is remembered of trusted folders, in `holdfast/trusted`: where it is not set `~/.local/state`, on macOS `~/Library/Application Support`.',
  XDG_CACHE_HOME: 'The folder for compiled code, in `holdfast/compiled`: where it is not set `~/.cache`, on macOS `~/Library/Caches`.',
  LOCALAPPDATA: 'The folder for both on Windows.',
  NODE_COMPILE_CACHE: 'Read by Node.js: another folder for compiled code, which is then used as it is.',
  GOLOG_LOG_LEVEL: "The daemon's log levels, where no `--log-level` is given: `error`, or by subsystem `error,pin=debug`.",
  IPFS_LOGGING: 'Old name of GOLOG_LOG_LEVEL.',
  GOLOG_LOG_FMT: 'How the log is written: `json` (default), `color` or `nocolor`.',
  IPFS_LOGGING_FMT: 'Old name of GOLOG_LOG_FMT.',
  GOLOG_OUTPUT: 'Where the log goes: `stdout`, `stderr`, `file`, several joined by `+`.',
  GOLOG_FILE: 'The file that the log goes to.',
  EDITOR: 'The program that `config edit` runs.',
  GOPATH: 'Told by `diag/sys`, and of no other effect.',
  API_ORIGIN: 'An origin whose pages may call the RPC, beside those of `API.HTTPHeaders`.',
  IPFS_HTTP_ROUTERS: 'The delegated routers of `Routing.Type` `auto` and `autoclient`, separated by spaces.',
  IPFS_NS_MAP: 'Names that lead to a path whatever records say, as `name:path`, separated by commas.',
  MFS_PIN_POLL_INTERVAL: 'How often the mutable tree is looked at for services that keep it (`Pinning.RemoteServices`).',
  LIBP2P_FORCE_PNET: 'With `1`, no start without the key of a private network (`swarm.key`).',
  LIBP2P_RCMGR: 'With `0`, no limits for peers; with `1`, limits; whatever `Swarm.ResourceMgr.Enabled` says.',
  LIBP2P_MUX_PREFS: 'Refused where it is set: `Swarm.Transports.Multiplexers` took its place.',
  IPFS_REUSEPORT: 'Refused where it is set: Kubo 0.28 knows it no more.',
  UV_THREADPOOL_SIZE:
    'Threads that read and write files, of Node.js. Default: 8, of which large reads take half, and look-ups of RocksDB a quarter.'
} as const
