/** What is moved is at one place afterwards, whole, and nothing that nobody named is replaced. */
import test from 'ava'
import { newTree, type Tree } from './helpers.ts'

/** A tree of directories, and files that say their paths. */
async function treeWith(t: Parameters<typeof newTree>[0], paths: readonly string[], threshold?: string): Promise<Tree> {
  const tree = await newTree(t, threshold === undefined ? {} : { threshold })
  for (const path of paths)
    if (path.endsWith('/')) await tree.call('files/mkdir', [path], { parents: true, flush: false })
    else await tree.write(path, path, { parents: true, flush: false })
  return tree
}

async function contentOf(tree: Tree, path = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const name of await tree.names(`${path}/`)) {
    const at = `${path}/${name}`
    if ((await tree.stat(at)).Type === 'directory') Object.assign(found, { [`${at}/`]: '' }, await contentOf(tree, at))
    else found[at] = await tree.read(at)
  }
  return found
}

for (const threshold of [undefined, '1B'])
  test(`a directory that is moved into itself is refused, and all of it is there, with a threshold of ${threshold ?? '256KiB'}`, async t => {
    const tree = await treeWith(t, ['/b/f', '/b/c/g', '/c/'], threshold)
    const before = await contentOf(tree)
    for (const [from, to] of [
      ['/b', '/b/'],
      ['/b', '/b'],
      ['/b', '/b/x'],
      ['/b', '/b/c'],
      ['/b', '/b/c/'],
      ['/b', '/b/c/x'],
      ['/b/c', '/b/c']
    ] as const) {
      await t.throwsAsync(tree.call('files/mv', [from, to]), { message: `${from} cannot be moved into itself, to ${to}` })
      t.deepEqual(await contentOf(tree), before, `${from} ${to}`)
    }
  })

test('what is moved to where it is stays there', async t => {
  const tree = await treeWith(t, ['/b/f', '/b/c/g', '/f'])
  const before = await contentOf(tree)
  for (const [from, to] of [
    ['/b/f', '/b/f'],
    ['/b/f', '/b/'],
    ['/b/f', '/b'],
    ['/b/c', '/b'],
    ['/b', '/'],
    ['/f', '/']
  ] as const) {
    await tree.call('files/mv', [from, to])
    t.deepEqual(await contentOf(tree), before, `${from} ${to}`)
  }
})

test('what is moved between directories of one name is no longer where it was', async t => {
  const tree = await treeWith(t, ['/a/x/f', '/a/x/d/g', '/b/x/', '/x/'])
  await tree.call('files/mv', ['/a/x/f', '/b/x/f'])
  await tree.call('files/mv', ['/a/x/d', '/b/x'])
  await tree.call('files/mv', ['/b/x/f', '/x/'])
  t.deepEqual(await contentOf(tree), {
    '/a/': '',
    '/a/x/': '',
    '/b/': '',
    '/b/x/': '',
    '/b/x/d/': '',
    '/b/x/d/g': '/a/x/d/g',
    '/x/': '',
    '/x/f': '/a/x/f'
  })
})

test('a file takes the place of a file that is named, and of nothing that lies in a directory', async t => {
  const tree = await treeWith(t, ['/a', '/foo', '/d/a', '/e/a/', '/s/g'])
  for (const to of ['/d', '/d/', '/e', '/e/']) {
    const { message } = (await t.throwsAsync(tree.call('files/mv', ['/a', to])))!
    t.is(message, 'directory already has entry by that name', to)
  }
  await t.throwsAsync(tree.call('files/mv', ['/s', '/foo']), { message: '/foo is a file: a directory does not take its place' })
  await tree.call('files/mv', ['/a', '/foo'])
  t.deepEqual(await contentOf(tree), { '/d/': '', '/d/a': '/d/a', '/e/': '', '/e/a/': '', '/foo': '/a', '/s/': '', '/s/g': '/s/g' })
})

test('what is copied into itself, or onto itself, is all there', async t => {
  const tree = await treeWith(t, ['/b/f', '/b/c/g'])
  await tree.call('files/cp', ['/b', '/b/x'])
  await tree.call('files/cp', ['/b/c', '/b/c/'])
  const message = /directory already has entry by that name$/
  await t.throwsAsync(tree.call('files/cp', ['/b', '/b']), { message })
  await t.throwsAsync(tree.call('files/cp', ['/b/f', '/b/f']), { message })
  await tree.call('files/cp', ['/b/f', '/b/f'], { force: true })
  await t.throwsAsync(tree.call('files/cp', ['/b', '/b'], { force: true }), { message: /not a file: \/b$/ })
  t.deepEqual(await contentOf(tree), {
    '/b/': '',
    '/b/c/': '',
    '/b/c/c/': '',
    '/b/c/c/g': '/b/c/g',
    '/b/c/g': '/b/c/g',
    '/b/f': '/b/f',
    '/b/x/': '',
    '/b/x/c/': '',
    '/b/x/c/g': '/b/c/g',
    '/b/x/f': '/b/f'
  })
})
