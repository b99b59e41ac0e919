/** The environment variables that a node reads, and what each does. */
export const environment = {
  HOLDFAST_PATH: "The repo's folder, where no `--repo` names one.",
  IPFS_PATH: "The repo's folder, where neither `--repo` nor HOLDFAST_PATH names one.",
  HOLDFAST_API: 'The RPC address that the command line calls, where no `--api` names one.',
  GOLOG_LOG_LEVEL: "The daemon's log levels, where no `--log-level` is given: `error`, or by subsystem `error,pin=debug`.",
  IPFS_LOGGING: 'Old name of GOLOG_LOG_LEVEL.',
  GOLOG_LOG_FMT: 'How the log is written: `json` (default), `color` or `nocolor`.',
  IPFS_LOGGING_FMT: 'Old name of GOLOG_LOG_FMT.',
  GOLOG_OUTPUT: 'Where the log goes: `stdout`, `stderr`, `file`, several joined by `+`.',
  GOLOG_FILE: 'The file that the log goes to.',
  GOPATH: 'Told by `diag/sys`, and of no other effect.',
  API_ORIGIN: 'An origin whose pages may call the RPC, beside those of `API.HTTPHeaders`.'
} as const
