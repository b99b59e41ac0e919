import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { identityOf, identityOfPem } from '../../../core/keys/index.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { commandLine } from '../../helpers/process/command-line.ts'

/** The file of the key `plain`: base32 of its name. */
const KEY_PLAIN = 'key_obwgc2lo'

/** A command line on a new repo of its own. */
async function program(t: Parameters<typeof temporaryFolder>[0]) {
  const cwd = await temporaryFolder(t)
  const repo = join(cwd, 'repo')
  const run = (...args: string[]) => commandLine(['--repo', repo, ...args], { cwd })
  const done = async (...args: string[]) => {
    const { code, out, err } = await run(...args)
    if (code !== 0) throw new Error(err)
    return out.trim()
  }
  await done('init')
  return { cwd, repo, run, done }
}

test('a key goes out into a file for its owner alone, and comes in again, in both formats', async t => {
  const { cwd, done } = await program(t)
  const id = await done('key', 'gen', '--ipns-base=b58mh', 'site')
  await done('key', 'export', 'site')
  await done('key', 'export', '--format=pem-pkcs8-cleartext', '-o', 'other.pem', 'site')
  for (const file of ['site.key', 'other.pem']) t.is((await stat(join(cwd, file))).mode & 0o777, 0o600)
  t.is(identityOf(await readFile(join(cwd, 'site.key'))).peerId, id)
  t.is(identityOfPem(await readFile(join(cwd, 'other.pem'), 'utf8')).peerId, id)
  t.is(await done('key', 'import', '--ipns-base=b58mh', 'again', 'site.key'), id)
  t.is(await done('key', 'import', '--ipns-base=b58mh', '-f', 'pem-pkcs8-cleartext', 'once-more', 'other.pem'), id)
})

test('what cannot be exported leaves no file and is told', async t => {
  const { cwd, run, done } = await program(t)
  await done('key', 'gen', 'site')
  for (const [words, message] of [
    [['self'], "cannot export key with name 'self'"],
    [['nobody'], "key with name 'nobody' doesn't exist"],
    [['--format=jwk', 'site'], 'unrecognized export format: jwk']
  ] as const) {
    const { code, err } = await run('key', 'export', ...words)
    t.is(code, 1)
    t.true(err.includes(message), err)
  }
  t.deepEqual(await readdir(cwd), ['repo'])
})

test('a rotated node has another peer ID, and the old key pair under a name', async t => {
  const { done, run } = await program(t)
  const before = await done('id', '--format=<id>')
  await done('key', 'rotate', '--oldkey=before')
  const after = await done('id', '--format=<id>')
  t.not(after, before)
  t.is(await done('key', 'list', '-l', '--ipns-base=b58mh'), `${after} self   \n${before} before`)
  const again = await run('key', 'rotate', '--oldkey=before')
  t.is(again.code, 1)
  t.true(again.err.includes("key with name 'before' already exists"), again.err)
  t.is(await done('id', '--format=<id>'), after)
  for (const name of ['self', '']) t.is((await run('key', 'rotate', `--oldkey=${name}`)).code, 1)
})

test('the name of a node goes on leading where it led when the node has another key, and is published with the old one', async t => {
  const { done, run } = await program(t)
  const published = await done('name', 'publish', '-Q', '--allow-offline', '--resolve=false', '/ipfs/bafkqaaa/1')
  await done('key', 'rotate', '--oldkey=before')
  t.is(await done('name', 'resolve', published), '/ipfs/bafkqaaa/1')
  t.is((await run('name', 'resolve')).code, 1, 'the new name leads nowhere')
  t.is(await done('name', 'publish', '-Q', '--allow-offline', '--resolve=false', '--key=before', '/ipfs/bafkqaaa/2'), published)
  t.is(await done('name', 'resolve', published), '/ipfs/bafkqaaa/2')
})

for (const command of ['list', 'ls'])
  test(`key ${command} without the passphrase names every key, with the IDs of those that are not encrypted`, async t => {
    const { cwd, repo, run, done } = await program(t)
    const plain = await done('key', 'gen', 'plain')
    const file = await readFile(join(repo, 'keystore', KEY_PLAIN))
    await writeFile(join(cwd, 'passphrase'), 'correct horse', { mode: 0o600 })
    await writeFile(join(cwd, 'with.json'), JSON.stringify({ plugins: { keys: { passphraseFile: join(cwd, 'passphrase') } } }))
    const sealed = await done('--config', 'with.json', 'key', 'gen', 'sealed')
    // as somebody puts it there who does not know of the passphrase
    await writeFile(join(repo, 'keystore', KEY_PLAIN), file)
    const self = await done('key', 'list', '-l').then(out => out.split(' ')[0])
    t.is(await done('key', command), 'self\nplain\nsealed')
    const known = JSON.parse(await done('key', command, '--encoding=json')) as { Keys: object[] }
    t.deepEqual(known.Keys, [
      { Name: 'self', Id: self },
      { Name: 'plain', Id: plain },
      { Name: 'sealed', Id: '' }
    ])
    t.is((await done('key', command, '-l')).split('\n')[2], `${'encrypted'.padEnd(plain.length)} sealed`)
    const used = await run('key', 'rm', 'sealed')
    t.is(used.code, 1)
    t.regex(used.err, /the key 'sealed' in .* is encrypted, and this node was given no passphrase: plugins\.keys\.passphraseFile/)
    t.true((await done('--config', 'with.json', 'key', command, '-l')).endsWith(`${sealed} sealed`))
  })
