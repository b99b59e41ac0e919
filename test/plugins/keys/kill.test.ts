import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { keystore, storeIn } from './helpers.ts'

const child = fileURLToPath(new URL('kill-child.js', import.meta.url))

for (const rounds of [1, 3, 8, 20, 45]) {
  test(`a process that is killed after ${rounds} rounds leaves every key that it told of, and none that is half there`, async t => {
    const path = await keystore(t)
    const running = spawn(process.execPath, [child, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    let told = -1
    for await (const line of createInterface({ input: running.stdout })) {
      told = Number(line.split(' ')[0])
      if (told === rounds) running.kill('SIGKILL')
    }
    const store = await storeIn(path)
    const names = new Set((await store.list()).map(({ name }) => name))
    t.true(names.has('last'))
    for (let i = 0; i <= told; i++) t.true(names.has(`key ${i}`), `key ${i}`)
    t.is([...names].filter(name => name.startsWith('next ')).length <= 1, true)
    t.is((await readdir(path)).length, names.size - 1)
  })
}
