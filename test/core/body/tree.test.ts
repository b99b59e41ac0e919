import test from 'ava'
import { treeOf } from '../../../core/body/tree.ts'
import type { Body, BodyPart } from '../../../core/contract/body.ts'

type Given = string | readonly [path: string, kind: BodyPart['kind']]

async function* body(parts: readonly Given[]): Body {
  for (const part of parts) {
    const [path, kind] = typeof part === 'string' ? [part, 'file' as const] : part
    yield { path, kind, headers: {}, async *bytes() {} }
  }
}

/** `DEPTH NAME`, a slash behind folders, brackets around those that no part stands for. */
async function tree(...parts: Given[]): Promise<string[]> {
  const entries: string[] = []
  for await (const { depth, name, kind, part } of treeOf(body(parts))) {
    const text = `${depth} ${name}${kind === 'directory' ? '/' : kind === 'symlink' ? '@' : ''}`
    entries.push(part === undefined ? `[${text}]` : text)
  }
  return entries
}

test('folders that only paths speak of come before what lies in them', async t => {
  t.deepEqual(await tree('/a/b/c', '/a/b/d', '/a/e', '/f'), ['[1 a/]', '[2 b/]', '3 c', '3 d', '2 e', '1 f'])
})

test('a folder that was sent takes what lies in it', async t => {
  t.deepEqual(await tree(['/a', 'directory'], '/a/b', ['/a/c', 'directory'], ['/a/c/d', 'symlink']), ['1 a/', '2 b', '2 c/', '3 d@'])
})

test('a folder that is met again is another entry of the same name', async t => {
  t.deepEqual(await tree('/a/1', '/b/1', '/a/2'), ['[1 a/]', '2 1', '[1 b/]', '2 1', '[1 a/]', '2 2'])
  t.deepEqual(await tree(['/d', 'directory'], '/d/a', ['/d', 'directory'], '/d/b'), ['1 d/', '2 a', '1 d/', '2 b'])
})

test('names that only begin alike are not inside each other', async t => {
  t.deepEqual(await tree('/a/1', '/ab', '/a.b/2'), ['[1 a/]', '2 1', '1 ab', '[1 a.b/]', '2 2'])
})

test('parts below a file are skipped until another entry comes', async t => {
  t.deepEqual(await tree('/d/a', '/d/a/b', '/d/a/c/e', '/d/f', '/d/a/g'), ['[1 d/]', '2 a', '2 f', '[2 a/]', '3 g'])
  t.deepEqual(await tree('/a', '/a/b'), ['1 a'])
})

test('a part without a name is an entry without one, and a folder without one takes all that follows', async t => {
  t.deepEqual(await tree('/', '/', '/a'), ['1 ', '1 ', '1 a'])
  t.deepEqual(await tree('/x', ['/', 'directory'], '/a', '/b/c'), ['1 x', '1 /', '2 a', '[2 b/]', '3 c'])
})

test('a part without a path ends the upload', async t => {
  t.deepEqual(await tree('/a', '', '/b'), ['1 a'])
})

test('a path of thousands of names is a tree of as many levels', async t => {
  const entries = await tree(`${'/n'.repeat(9000)}/end`, '/next')
  t.is(entries.length, 9002)
  t.is(entries.at(-2), '9001 end')
  t.is(entries.at(-1), '1 next')
})
