import test from 'ava'
import { quotedPrintable } from '../../../../host/rpc/upload/quoted-printable.ts'
import { gathered } from '../../../helpers/streams.ts'

async function decode(...pieces: string[]): Promise<string> {
  async function* source() {
    for (const piece of pieces) yield Buffer.from(piece)
  }
  return (await gathered(quotedPrintable(source()))).toString()
}

test('escapes, soft line ends and blanks at line ends', async t => {
  t.is(await decode('x=3Dy=C3=A9'), 'x=yé')
  t.is(await decode('a=\r\nb  \r\nc'), 'ab\r\nc')
  t.is(await decode('a=', '3', 'D\nb'), 'a=\nb')
})

test('a broken escape is an error', async t => {
  await t.throwsAsync(decode('a=zz\n'), { code: 'E_QUOTED_PRINTABLE' })
})

test('an escape does not go on behind a soft line end', async t => {
  await t.throwsAsync(decode('=a=\r\na\r\n'), { code: 'E_QUOTED_PRINTABLE' })
  await t.throwsAsync(decode('=a=\r\n', 'a\r\n'), { code: 'E_QUOTED_PRINTABLE' })
})

test('a line that never ends is not kept', async t => {
  await t.throwsAsync(decode('x'.repeat(5000)), { message: 'quotedprintable: line too long' })
})
