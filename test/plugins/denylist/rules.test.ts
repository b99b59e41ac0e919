import test from 'ava'
import { base58btc, cidToString, createMultihash, digestSync, parseCid } from '../../../core/cid/index.ts'
import { CID, type DeniablePath } from '../../../core/index.ts'
import { parseAbsolutePath } from '../../../core/path/index.ts'
import { parseRule } from '../../../plugins/denylist/rule.ts'
import { RuleSet } from '../../../plugins/denylist/rules.ts'
import { DigestTable, keyOf } from '../../../plugins/denylist/table.ts'

function rulesOf(...lines: string[]): RuleSet {
  const rules = new RuleSet()
  for (const [i, line] of lines.entries()) {
    const rule = parseRule(line)
    if (rule !== undefined) rules.add(rule, i + 1, 410)
  }
  return rules
}

function denies(rules: RuleSet, text: string): boolean {
  const { namespace, cid, root, segments } = parseAbsolutePath(text)
  const path: DeniablePath = namespace === 'ipns' ? { namespace, name: root, segments } : { namespace: 'ipfs', root: cid!, segments }
  const ruling = rules.ofPath(path)
  return ruling !== undefined && !ruling.allows
}

const RULE1 = 'bafybeihvvulpp4evxj7x7armbqcyg6uezzuig6jp3lktpbovlqfkuqeuoq'
const ROOT = 'QmUboz9UsQBDeS6Tug1U8jgoFkgYxyYood9NDyVURAY9pK'
const LEGACY = 'bafybeiefwqslmf6zyyrxodaxx4vwqircuxpza5ri45ws3y5a62ypxti42e'
const BLAKE = 'bafyb4ieqht3b2rssdmc7sjv2cy2gfdilxkfh7623nvndziyqnawkmo266a'
const KEY = 'k51qzi5uqu5dhmzyv3zac033i7rl9hkgczxyl81lwoukda2htteop7d3x0y1mf'

interface Row {
  readonly title: string
  readonly lines: readonly string[]
  readonly denied: readonly string[]
  readonly given: readonly string[]
}

/** Rules and digests of the examples of the specification (IPIP-383), and those of its public test list. */
const ROWS: readonly Row[] = [
  {
    title: 'a CID is denied in any codec and version, by its multihash',
    lines: [`/ipfs/${RULE1}`],
    denied: [
      `/ipfs/${RULE1}`,
      `/ipfs/${RULE1}/`,
      '/ipfs/bafkreihvvulpp4evxj7x7armbqcyg6uezzuig6jp3lktpbovlqfkuqeuoq',
      '/ipfs/QmesfgDQ3q6prBy2Kg2gKbW4MAGuWiRP2DVuGA5MZSERLo'
    ],
    given: [`/ipfs/${RULE1}/path`, `/ipfs/${ROOT}`]
  },
  {
    title: 'all below a CID, and itself',
    lines: [`/ipfs/${ROOT}/*`],
    denied: [`/ipfs/${ROOT}`, `/ipfs/${ROOT}/a/b`],
    given: [`/ipfs/${RULE1}`]
  },
  {
    title: 'an entry of a list, however its number is written',
    lines: [`/ipfs/${RULE1}/list/7/a`, `/ipns/${KEY}/0*`],
    denied: ['7', '07', '+7', '0000007'].flatMap(n => [`/ipfs/${RULE1}/list/${n}/a`]).concat(`/ipns/${KEY}/-0/b`, `/ipns/${KEY}/000`),
    given: [`/ipfs/${RULE1}/list/70/a`, `/ipfs/${RULE1}/list/7a/a`, `/ipfs/${RULE1}/list/-7/a`, `/ipns/${KEY}/1`]
  },
  {
    title: 'a path, with a slash at its end or without',
    lines: [`/ipfs/${ROOT}/a%20b/`],
    denied: [`/ipfs/${ROOT}/a b`, `/ipfs/${ROOT}/a b/`],
    given: [`/ipfs/${ROOT}`, `/ipfs/${ROOT}/a b/c`]
  },
  {
    title: 'paths that begin alike',
    lines: [`/ipfs/${ROOT}/test*`],
    denied: [`/ipfs/${ROOT}/test`, `/ipfs/${ROOT}/testing`, `/ipfs/${ROOT}/test/one`],
    given: [`/ipfs/${ROOT}/tes`, `/ipfs/${RULE1}/test`]
  },
  {
    title: 'the same with a slash',
    lines: [`/ipfs/${ROOT}/test/*`],
    denied: [`/ipfs/${ROOT}/test`, `/ipfs/${ROOT}/test/one`],
    given: [`/ipfs/${ROOT}/tes`]
  },
  {
    title: 'exceptions behind a rule count',
    lines: [`/ipfs/${ROOT}/blocked*`, `!/ipfs/${ROOT}/blockednot`, `!/ipfs/${ROOT}/blocked/exceptions*`],
    denied: [`/ipfs/${ROOT}/blocked`, `/ipfs/${ROOT}/blocked/a`],
    given: [`/ipfs/${ROOT}/blockednot`, `/ipfs/${ROOT}/blocked/exceptions1`]
  },
  { title: 'an exception before a rule does not', lines: ['!/ipns/my.domain', '/ipns/my.domain'], denied: ['/ipns/my.domain'], given: [] },
  {
    title: 'a domain with all below it, whatever its letters',
    lines: ['/ipns/domain.example', '!/ipns/domain.example/given'],
    denied: ['/ipns/domain.example', '/ipns/DOMAIN.example', '/ipns/domain.example/path'],
    given: ['/ipns/other.example', '/ipns/domain.example/given']
  },
  { title: 'a path below a domain', lines: ['/ipns/a.example/path'], denied: ['/ipns/a.example/path'], given: ['/ipns/a.example'] },
  {
    title: 'a key in each of its forms, but not the block of that multihash',
    lines: [`/ipns/${KEY}`],
    denied: [
      `/ipns/${KEY}`,
      '/ipns/bafzaajaiaejcaotjfs57kieazxny5japcmy5p2pgv2cic77tu6ogghttvurnrufx',
      '/ipns/12D3KooWDkNqEJNmreF3NYYFK1ws7Ra2fuW6cHBTu567SPV3LdYA'
    ],
    given: ['/ipfs/bafzaajaiaejcaotjfs57kieazxny5japcmy5p2pgv2cic77tu6ogghttvurnrufx']
  },
  {
    title: 'SHA-256 of a multihash in base58',
    lines: ['//QmX9dhRcQcKUw3Ws8485T5a9dtjrSCQaUAHnG4iK9i4ceM'],
    denied: ['/ipfs/bafybeidjwik6im54nrpfg7osdvmx7zojl5oaxqel5cmsz46iuelwf5acja', '/ipfs/QmVTF1yEejXd9iMgoRTFDxBv7HAz9kuZcQNBzHrceuK9HR'],
    given: ['/ipfs/QmVTF1yEejXd9iMgoRTFDxBv7HAz9kuZcQNBzHrceuK9HR/a']
  },
  {
    title: 'BLAKE3 of a path',
    lines: [
      `//${base58btc.encode(createMultihash(0x1e, digestSync(0x1e, Buffer.from('gW7Nhu4HrfDtphEivm3Z9NNE7gpdh5Tga8g6JNZc1S8E47/path'))).bytes)}`
    ],
    denied: [`/ipfs/${BLAKE}/path`, '/ipfs/f01701e20903cf61d46521b05f926ba1634628d0bba8a7ffb5b6d5a3ca310682ca63b5ef0/path'],
    given: [`/ipfs/${BLAKE}/path2`, `/ipfs/${BLAKE}`]
  },
  {
    title: 'the digest of the example for that',
    lines: ['//gW813G35CnLsy7gRYYHuf63hrz71U1xoLFDVeV7actx6oX'],
    denied: [`/ipfs/${BLAKE}/path`],
    given: []
  },
  {
    title: 'hexadecimals of a CID, that one alone',
    lines: ['//d9d295bde21f422d471a90f2a37ec53049fdf3e5fa3ee2e8f20e10003da429e7'],
    denied: [`/ipfs/${LEGACY}`, `/ipfs/${cidToString(CID.createV0(parseCid(LEGACY).multihash as never))}`],
    given: [`/ipfs/${LEGACY}/path`, `/ipfs/${CID.createV1(0x55, parseCid(LEGACY).multihash)}`]
  },
  {
    title: 'hexadecimals of a path',
    lines: ['//3f8b9febd851873b3774b937cce126910699ceac56e72e64b866f8e258d09572'],
    denied: [`/ipfs/${LEGACY}/path`],
    given: [`/ipfs/${LEGACY}`, `/ipfs/${LEGACY}/path2`]
  },
  {
    title: 'hexadecimals of a domain',
    lines: ['//c555c4de78827ba42527dd3dc5398db38d6c0a8c345a88e0158b2d100f317e50'],
    denied: ['/ipns/bad-domain-name.tld'],
    given: ['/ipns/good-domain-name.tld']
  }
]

for (const { title, lines, denied, given } of ROWS) {
  test(title, t => {
    const rules = rulesOf(...lines)
    for (const path of denied) t.true(denies(rules, path), path)
    for (const path of given) t.false(denies(rules, path), path)
  })
}

test('a domain is denied in whatever letters it is asked for', t => {
  const rules = rulesOf('/ipns/example.com', '/ipns/xn--bcher-kva.example')
  for (const name of ['example.com', 'EXAMPLE.com', '\uFF45xample.com', 'exam\u00ADple.com', 'bücher.example', 'BÜCHER.example'])
    t.true(rules.ofPath({ namespace: 'ipns', name, segments: [] }) !== undefined, name)
  t.is(rules.ofPath({ namespace: 'ipns', name: 'other.example', segments: [] }), undefined)
})

test('lines that are no rules are refused, comments and hints read', t => {
  for (const line of ['', '   ', '# /ipfs/x']) t.is(parseRule(line), undefined)
  t.deepEqual(
    [...parseRule(`/ipfs/${ROOT} a:1 reason:law:x`)!.hints],
    [
      ['a', '1'],
      ['reason', 'law:x']
    ]
  )
  for (const line of ['nonsense', '/ipfs/', '/ipfs/nonsense', '/ipld/x', '//', '//0OIl', `/ipfs/${ROOT}/%zz`, `/ipfs/${ROOT} hint`]) {
    t.throws(() => parseRule(line), { code: 'E_DENYLIST_RULE' }, line)
  }
})

test('a table finds what it was given, also where it had to grow', t => {
  const table = new DigestTable()
  for (let i = 1; i <= 5000; i++) table.set(keyOf('n', String(i)), i)
  table.set(keyOf('n', '7'), 9)
  t.is(table.size, 5000)
  t.is(table.get(keyOf('n', '7')), 9)
  for (let i = 8; i <= 5000; i++) t.is(table.get(keyOf('n', String(i))), i)
  t.is(table.get(keyOf('n', '5001')), 0)
  t.true(table.bytes <= 64 * 5000)
})
