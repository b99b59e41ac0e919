/** A gibibyte through the mounts of a node of its own process, and programs that leave in the middle. */
import { join } from 'node:path'
import { victim } from '../../crash/network/daemon.ts'
import { post } from '../../crash/support/rpc.ts'
import { mountpoints, real, shell } from '../../helpers/process/fuse.ts'
import { until } from '../../helpers/until.ts'

real(
  '1 GiB is copied into the mutable tree and out of it byte by byte, is listed with its size, and readers that leave stop nobody',
  async t => {
    t.timeout(300_000)
    const made = await victim(t)
    const { ipns, mfs, query } = await mountpoints(t, made.folder)
    const node = await made.start()
    await post(node.url, `mount?${query}`)
    const file = join(made.folder, 'file')
    await shell('head -c 1073741824 /dev/urandom > "$1"', file)
    await shell('cp "$1" "$2/large"', file, mfs)
    t.regex(await shell('ls -l "$1"', mfs), /^-rw\S* +1 .* 1073741824 .* large$/m)
    for (let i = 0; i < 10; i++) t.is(await shell('head -c 5 "$1/large" | wc -c', mfs), '5\n')
    await shell('cp "$1/large" "$2.back"; cmp "$2" "$2.back"', mfs, file)
    await shell('rm "$2.back"; printf own > "$1/local/page"', ipns, file)
    await until('it is there', async () => (await shell('cat "$1/local/page"', ipns)) === 'own')
    t.is(await node.stop(), 0)
    t.false((await shell('cat /proc/self/mounts')).includes(`${made.folder}/`))
  }
)
