import { defineErrors } from '../../core/index.ts'

export const tokenErrors = defineErrors({
  E_TOKEN_NAME: { wire: 'client', message: () => 'token/new: the name is empty, or longer than 128 characters' },
  E_TOKEN_EXISTS: {
    wire: 'client',
    message: (name: string) => `token/new: there is '${name}' already: choose another name, or remove that one first`
  },
  E_TOKEN_ABSENT: { wire: 'client', message: (name: string) => `token/rm: there is no token or secret '${name}'` },
  E_TOKEN_ACCESS: { wire: 'client', message: (access: string) => `token/new: the access is read, write or admin, and not '${access}'` },
  E_TOKEN_EXPIRES: { wire: 'client', message: () => 'token/new: a token expires after a time that is more than nothing, such as 720h' },
  E_TOKENS_MOST: {
    wire: 'client',
    message: (most: number) => `token/new: there are ${most} tokens and secrets, the most that this node takes (plugins.tokens.maxTokens)`
  }
})
