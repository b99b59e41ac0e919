import { z } from 'zod'
import { blockOptions } from '../../../core/blocks/options.ts'
import { command, either, Host, PathResolver, Pins, p } from '../../../core/index.ts'
import { pinErrors } from '../errors.ts'
import { found, isAtHand, isPinType, type List, type Listed, listed, pinTypes } from '../listing.ts'
import { checkPinName } from '../name.ts'
import { pinEncoder } from '../replies.ts'

const options = {
  type: p
    .string('Which pins.')
    .alias('t')
    .default('all')
    .oneOf(...pinTypes),
  quiet: p.bool('Only CIDs, in text.').alias('q').default(false),
  stream: p.bool('Answer pins one by one as they are found, in no order.').alias('s').default(false)
}
const name = p
  .string('Only pins whose name contains this text, with their names. Objects that were named are told whatever theirs are.')
  .alias('n')
const names = p.bool('With the names of pins.').default(false)

export const ls = command.read('pin/ls', {
  help: 'List what is kept, or say how some objects are.',
  examples: [
    { title: 'List what is kept with all below it', args: 'pin ls --type=recursive --names' },
    { title: 'Ask why a file is kept', args: 'pin ls QmStCoPeptJKiGNyeC5Zx46ChioUpvG8KgoK2fhuNr27V3' }
  ],
  needs: { pins: Pins, paths: PathResolver, host: Host },
  args: { ipfsPath: p.contentPath('Objects to look for.').raw().many().optional() },
  options: { ...options, names, name },
  levels: { '0.28': { options: { ...options, names: names.alias('n') } } },
  reply: either(
    z.object({ Keys: z.record(z.string(), z.object({ Type: z.string(), Name: z.string() })).optional() }),
    z.object({ Cid: z.string(), Name: z.string().optional(), Type: z.string() })
  ),
  xml: 'PinLsOutputWrapper',
  text(item, { options: { quiet } }) {
    const line = (cid: string, type: string, name = '') => (quiet ? `${cid}\n` : `${cid} ${type}${name === '' ? '' : ` ${name}`}\n`)
    if ('Cid' in item) return line(item.Cid, item.Type, item.Name)
    return Object.entries(item.Keys ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([cid, { Type, Name }]) => line(cid, Type, Name))
      .join('')
  },
  run({ pins, paths, host }, call) {
    const { args, options } = call
    const { type, name = '', names } = options
    checkPinName(name, '0.42')
    if (!isPinType(type)) throw pinErrors.E_PIN_TYPE(type)
    const encode = pinEncoder(options)
    const how = { ...blockOptions(call), type, asGiven: host.level === '0.42' }
    const asked = args.ipfsPath.length > 0
    const lists: readonly List[] = asked ? [found(args.ipfsPath, pins, paths, how)] : listed(pins, how)
    const isNamed = names || name !== ''
    // of objects that were asked for 0.28 tells no names, but one by one it answers nothing to be held to
    const nameOf = (pin: Listed) => (isNamed && (!asked || options.stream || host.level !== '0.28') ? pin.name : '')
    const isWanted = ({ name: pinName }: Listed) => asked || name === '' || pinName.includes(name)
    const oneByOne = async function* () {
      for (const list of lists)
        for await (const pin of list) if (isWanted(pin)) yield { Cid: encode(pin), Name: nameOf(pin) || undefined, Type: pin.mode }
    }
    const allAtOnce = async () => {
      const Keys: Record<string, { Type: string; Name: string }> = {}
      let how = { Type: '', Name: '' }
      const take = (pin: Listed) => {
        if (!isWanted(pin)) return
        const name = nameOf(pin)
        // Most pins are alike but for their CIDs: thousands of them share one object.
        if (how.Type !== pin.mode || how.Name !== name) how = { Type: pin.mode, Name: name }
        Keys[encode(pin)] = how
      }
      for (const list of lists) {
        if (isAtHand(list)) for (const pin of list) take(pin)
        else for await (const pin of list) take(pin)
      }
      return how.Type === '' ? {} : { Keys }
    }
    return options.stream ? oneByOne() : allAtOnce()
  }
})
