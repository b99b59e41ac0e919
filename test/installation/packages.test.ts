import { readFile } from 'node:fs/promises'
import test from 'ava'
import { root } from '../helpers/process/packed.ts'
import { type Lock, nameOf, ofUsers, runs, scripted, telling } from './packages.ts'

interface Manifest {
  readonly allowScripts: Readonly<Record<string, boolean>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
}

const json = async <T>(file: string) => JSON.parse(await readFile(`${root}${file}`, 'utf8')) as T

async function lockOf(): Promise<Lock> {
  const { packages } = await json<{ packages: Lock }>('package-lock.json')
  return Object.fromEntries(Object.entries(packages).filter(([folder]) => folder !== ''))
}

test('an installation runs the scripts of those packages alone that the manifest decides about and the documentation gives a reason for', async t => {
  const { allowScripts } = await json<Manifest>('package.json')
  const decided = Object.keys(allowScripts).sort()
  t.deepEqual(scripted(await lockOf()), decided)
  const page = await readFile(`${root}docs/dependencies.md`, 'utf8')
  const section = page.split('\n## ').find(text => text.startsWith('What an installation runs'))!
  const rows = [...section.matchAll(/^\| ([^| ]+) \|/gm)].map(([, name]) => name!)
  t.deepEqual(rows.filter(name => /^[@a-z]/.test(name)).sort(), decided)
})

test('the documentation gives a reason for every dependency, and for none that there is not', async t => {
  const { dependencies, devDependencies, optionalDependencies } = await json<Manifest>('package.json')
  const page = await readFile(`${root}docs/dependencies.md`, 'utf8')
  const sections = page.split('\n## ').filter(text => /^(At run time|For development)/.test(text))
  const rows = sections.flatMap(text => [...text.matchAll(/^\| ([^|]+) \|/gm)].map(([, names]) => names!))
  const named = rows.flatMap(names => names.replace(/\([^)]*\)/g, '').split(', ')).map(name => name.trim())
  const said = new Set(named.filter(name => /^[@a-z]/.test(name)))
  const there = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).map(name =>
    name.startsWith('@types/') ? '@types/*' : name
  )
  t.deepEqual([...said].sort(), [...new Set(there)].sort())
})

test('who installs holdfast as a dependency runs no script of any package', async t => {
  const lock = ofUsers(await lockOf())
  t.true(Object.keys(lock).length > 20)
  t.deepEqual(scripted(lock), [])
  const { scripts } = await json<Manifest>('package.json')
  t.deepEqual(
    ['preinstall', 'install', 'postinstall'].filter(stage => stage in scripts),
    []
  )
})

test('the installed packages run nothing that the lockfile does not tell of', async t => {
  const lock = await lockOf()
  const told = new Set(scripted(lock))
  let looked = 0
  for (const [folder, one] of Object.entries(lock)) {
    const running = await runs(root, folder)
    if (running === undefined) continue
    looked++
    t.false(running && !told.has(nameOf(folder, one)), folder)
  }
  t.true(looked > 100)
})

test('no package tells others who installs or runs it', async t => {
  t.deepEqual(telling(await lockOf()), [])
})

test('a package that compiles, and one that reports, would be noticed', async t => {
  const lock: Lock = {
    ...(await lockOf()),
    'node_modules/a/node_modules/dtrace-provider': { version: '0.8.8', hasInstallScript: true },
    'node_modules/@scarf/scarf': { version: '1.4.0', dev: true, hasInstallScript: true },
    'node_modules/quiet': { name: 'posthog-node', version: '4.0.0' }
  }
  const { allowScripts } = await json<Manifest>('package.json')
  t.deepEqual(
    scripted(lock).filter(name => !(name in allowScripts)),
    ['@scarf/scarf', 'dtrace-provider']
  )
  t.deepEqual(scripted(ofUsers(lock)), ['dtrace-provider'])
  t.deepEqual(telling(lock).sort(), ['@scarf/scarf', 'posthog-node'])
})
