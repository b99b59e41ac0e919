import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import test from 'ava'
import { powerOf } from '../../../../plugins/storage-rocksdb/durability/power.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'

const bootId = await readFile('/proc/sys/kernel/random/boot_id').catch(() => undefined)
const onLinux = bootId === undefined ? test.skip : test

onLinux(
  'a disk that was detached and attached again may have lost something, and so may one with another start of the machine',
  async t => {
    const sys = await temporaryFolder(t)
    const { dev } = await stat(sys)
    // Of the devices that tests meet, both numbers are small.
    const [major, minor] = [dev >> 8, dev & 0xff]
    await mkdir(`${sys}/devices/disk/part`, { recursive: true })
    await mkdir(`${sys}/dev/block`, { recursive: true })
    const text = async () => Buffer.from((await powerOf(sys, sys)) as Uint8Array).toString()
    t.is(await text(), `${bootId}`, 'a disk that Linux does not count')

    await symlink('../../devices/disk/part', `${sys}/dev/block/${major}:${minor}`)
    await writeFile(`${sys}/devices/disk/diskseq`, '7\n')
    t.is(await text(), `${bootId}7`, 'a partition')
    await writeFile(`${sys}/devices/disk/diskseq`, '8\n')
    t.is(await text(), `${bootId}8`, 'attached again')
    await writeFile(`${sys}/devices/disk/part/diskseq`, '9\n')
    t.is(await text(), `${bootId}9`, 'a whole disk')
  }
)
