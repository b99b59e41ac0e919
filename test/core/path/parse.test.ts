import test from 'ava'
import { parseAbsolutePath, parseContentPath } from '../../../core/path/parse.ts'

const V0 = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
const V1 = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const KEY = 'k51qzi5uqu5diyuko9mbuptadvp6jmt41uwkze6eutubr9kvljambkngygotep'

const understood: Array<[string, string, string[]]> = [
  [V0, `/ipfs/${V0}`, []],
  [`/ipfs/${V1}`, `/ipfs/${V1}`, []],
  [`${V0}/a/b`, `/ipfs/${V0}/a/b`, ['a', 'b']],
  [`${V0}//a/./b/`, `/ipfs/${V0}/a/b/`, ['a', 'b']],
  [`${V0}/../${V1}`, `/ipfs/${V1}`, []],
  [`/${V0}`, `/ipfs/${V0}`, []],
  [`/ipld/${V1}/Links/0`, `/ipld/${V1}/Links/0`, ['Links', '0']],
  [`/ipns/${KEY}/x`, `/ipns/${KEY}/x`, ['x']],
  ['/ipns/example.org', '/ipns/example.org', []]
]
for (const [text, path, segments] of understood) {
  test(`'${text}' is the path ${path}`, t => {
    const parsed = parseContentPath(text)
    t.is(parsed.text, path)
    t.deepEqual(parsed.segments, segments)
    t.is(parsed.namespace === 'ipns', parsed.cid === undefined)
  })
}

const refused: Array<[string, string]> = [
  ['nope', 'invalid path "nope": path does not have enough components'],
  ['', 'invalid path "": path does not have enough components'],
  ['/nope', 'invalid path "/nope": path does not have enough components'],
  ['/ipfs/', 'invalid path "/ipfs/": path does not have enough components'],
  ['/ipfs/..', 'invalid path "/ipfs/..": path does not have enough components'],
  ['/ipns/', 'invalid path "/ipns/": path does not have enough components'],
  ['/ipfs/nope', 'invalid path "/ipfs/nope": invalid cid: selected encoding not supported'],
  [`ipfs/${V0}`, `invalid path "ipfs/${V0}": path does not have enough components`],
  [`  ${V0}  `, `invalid path "  ${V0}  ": path does not have enough components`],
  [`/nope/${V0}`, `invalid path "/nope/${V0}": unknown namespace: "nope"`],
  ['a"b\n', 'invalid path "a\\"b\\n": path does not have enough components']
]
for (const [text, message] of refused) {
  test(`${JSON.stringify(text)} is refused: ${message}`, t => {
    t.throws(() => parseContentPath(text), { code: 'E_PATH_INVALID', message })
  })
}

test('a path that must say its namespace is not guessed at', t => {
  t.throws(() => parseAbsolutePath(V0), { code: 'E_PATH_INVALID' })
  t.is(parseAbsolutePath(`/ipfs/${V0}`).cid?.toString(), V0)
})
