import { multibases } from '../../../core/cid/bases.ts'
import { type Command, command, p } from '../../../core/index.ts'
import { type CodeEntry, entriesReply } from '../entries.ts'

export const bases = listing('cid/bases')
export const multibaseList = listing('multibase/list')

function listing(path: string): Command {
  return command.read(path, {
    help: 'List the multibases.',
    examples: [{ title: 'List the multibases with the letters they are told by', args: `${path.replaceAll('/', ' ')} --prefix` }],
    options: {
      prefix: p.bool('Show the prefix too, in text.').default(false),
      numeric: p.bool('Show the number too, in text.').default(false)
    },
    reply: entriesReply,
    xml: 'CodeAndName',
    text: (entries, { options: { prefix, numeric } }) => entries.map(entry => line(entry, prefix, numeric)).join(''),
    run: () => multibases.map(({ code, name }) => ({ Code: code, Name: name }))
  })
}

function line({ Code, Name }: CodeEntry, prefix: boolean, numeric: boolean): string {
  const char = Code >= 32 && Code < 127 ? String.fromCharCode(Code) : ' '
  const number = String(Code).padStart(7)
  if (prefix) return numeric ? `${char} ${number}  ${Name}\n` : `${char}  ${Name}\n`
  return numeric ? `${number}  ${Name}\n` : `${Name}\n`
}
