/** The environment variables that a node reads, and what each does. */
export const environment = {
  HOLDFAST_PATH: "The repo's folder, where no `--repo` names one.",
  IPFS_PATH: "The repo's folder, where neither `--repo` nor HOLDFAST_PATH names one.",
  API_ORIGIN: 'An origin whose pages may call the RPC, beside those of `API.HTTPHeaders`.'
} as const
