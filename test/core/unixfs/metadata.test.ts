import test from 'ava'
import { decodeUnixFs } from '../../../core/unixfs/export/data.ts'
import { goMode, modeOfGo } from '../../../core/unixfs/go-mode.ts'
import { DIRECTORY_DATA } from '../../../core/unixfs/import/encode.ts'
import { storedMtime, withMetadata } from '../../../core/unixfs/metadata.ts'
import { modeText, momentOf, timeJson } from '../../../core/unixfs/metadata-text.ts'

test('metadata that are written into a node are read from it, in the place of those that were there', t => {
  const times = [0n, 1n, -5n, 1_700_000_000n, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n]
  let data = DIRECTORY_DATA
  for (const seconds of times) {
    for (const nanoseconds of [0, 1, 999_999_999]) {
      data = withMetadata(data, { mode: 0o4755, mtime: { seconds, nanoseconds } })
      const { type, mode, mtime } = decodeUnixFs(data)
      t.deepEqual({ type, mode, mtime }, { type: 1, mode: 0o4755, mtime: { seconds, nanoseconds } })
    }
  }
  t.deepEqual(Buffer.from(withMetadata(data, {})), Buffer.from(DIRECTORY_DATA))
})

test('what is no time, or the zero time of Go, counts as none', t => {
  const node = (mtime: number[]) => decodeUnixFs(Uint8Array.from([...DIRECTORY_DATA, 0x42, mtime.length, ...mtime]))
  t.deepEqual(node([0x08, 5]).mtime, { seconds: 5n, nanoseconds: 0 })
  t.is(node([]).mtime, undefined, 'no seconds')
  t.is(node([0x08, 5, 0x15, 0xff, 0xff, 0xff, 0xff]).mtime, undefined, 'more nanoseconds than a second has')
  t.is(node([0x15, 1, 0]).mtime, undefined, 'cut')
  t.is(storedMtime(-62_135_596_800n), undefined)
  t.deepEqual(storedMtime(5n, -1), { seconds: 4n, nanoseconds: 999_999_999 })
  t.deepEqual(storedMtime(5n, 2_000_000_000), { seconds: 7n, nanoseconds: 0 })
})

test('modes go to those of Go and back', t => {
  for (const mode of [0o1, 0o644, 0o4755, 0o2711, 0o1777, 0o7777]) t.is(modeOfGo(goMode(mode, 'directory')), mode)
  t.is(goMode(0o755, 'directory').toString(8), '20000000755')
  t.is(goMode(0o777, 'symlink').toString(8), '1000000777')
  t.is(modeText(0o640, 'file'), '-rw-r-----')
  t.is(modeText(0o1755, 'directory'), 'dtrwxr-xr-x')
})

test('moments agree with the calendar of the platform, and go on where it ends', t => {
  for (let seconds = -70_000_000_000n; seconds < 260_000_000_000n; seconds += 7_777_777_777n) {
    const iso = new Date(Number(seconds) * 1000).toISOString().replace('.000Z', '')
    const { year, monthNumber, day, clock } = momentOf(seconds)
    if (year > 0n) t.is(`${String(year).padStart(4, '0')}-${monthNumber}-${day}T${clock}`, iso.replace(/^\+0+/, ''))
  }
  t.is(timeJson(), '0001-01-01T00:00:00Z')
  t.is(timeJson({ seconds: 951_782_400n, nanoseconds: 120_000_000 }), '2000-02-29T00:00:00.12Z')
  t.true(momentOf(9_223_372_036_854_775_807n).year > 292_000_000_000n)
})
