/** Multipart bodies with the boundary `edge`: good, odd and broken ones. */

const file = (name: string, data: string, ...more: string[]) =>
  `--edge\r\n${[`Content-Disposition: form-data; name="file"; filename="${name}"`, ...more].join('\r\n')}\r\n\r\n${data}\r\n`

const END = '--edge--\r\n'

export const uploads: ReadonlyArray<readonly [what: string, body: string]> = [
  ['a file', `${file('a', 'one')}${END}`],
  ['an empty file', `${file('a', '')}${END}`],
  [
    'several files, a folder and a link',
    `${[
      file('d', '', 'Content-Type: application/x-directory'),
      file('d%2Fa', 'one', 'Content-Type: application/octet-stream'),
      file('d%2Fb', '', 'Abspath-Encoded: %2Fa+b'),
      file('l', 'a', 'Content-Type: application/symlink')
    ].join('')}${END}`
  ],
  ['a folder with data', `${file('d', 'data', 'Content-Type: application/x-directory')}${file('b', 'two')}${END}`],
  ['metadata', `--edge\r\nContent-Disposition: form-data; name="file?mode=0640&mtime=1600000000"; filename="a"\r\n\r\nx\r\n${END}`],
  ['quoted-printable', `${file('q', 'a=3Db=\r\nc', 'Content-Transfer-Encoding: Quoted-Printable')}${file('b', 'two')}${END}`],
  ['broken quoted-printable', `${file('q', 'a=xyz', 'Content-Transfer-Encoding: quoted-printable')}${file('b', 'two')}${END}`],
  ['line feeds alone', '--edge\nContent-Disposition: form-data; filename=a\n\nx\r\ny\n--edge--\n'],
  ['text before and after', `before\r\n${file('a', 'one')}${END}after`],
  ['boundaries that go on', `${file('a', '--edgeling\r\n--edge-\r\nx --edge')}${END}`],
  ['no end behind the data', file('a', 'half').slice(0, -2)],
  ['the end inside a boundary', `${file('a', 'half')}--ed`],
  ['the end behind a boundary', `${file('a', 'one')}--edge\r\n`],
  ['the end in a header', `${file('a', 'one')}--edge\r\nContent-Dispo`],
  ['no name of any kind', `${file('a', 'one')}--edge\r\nContent-Type: text/plain\r\n\r\nx\r\n${file('b', 'two')}${END}`],
  ['a name that cannot be read, and no end', `--edge\r\nContent-Disposition: form-data; filename\r\n\r\nx\r\n`],
  ['a type that cannot be read', `${file('a', 'one', 'Content-Type: /')}${file('b', 'two')}${END}`],
  ['an escape that cannot be read', `${file('a', 'one', 'Abspath-Encoded: %zz')}${file('b', 'two')}${END}`],
  ['a header without a colon', `${file('a', 'one')}--edge\r\nA"b\r\n\r\nx\r\n${END}`],
  ['a header that is too long', `${file('a', 'one')}${file('b', 'two', `A: ${'x'.repeat(400)}`)}${END}`],
  ['too many parts', `${['a', 'b', 'c', 'd', 'e'].map(name => file(name, name)).join('')}${END}`],
  ['a boundary line with more', `${file('a', 'one')}--edge oops\r\n`],
  ['a line between parts', `${file('a', 'one')}--edge\r\n`.replace('\r\n--edge\r\n', '\r\n--edge  x\r\n')],
  ['another boundary', '--other\r\n\r\nx\r\n--other--\r\n'],
  ['nothing but the end', END],
  ['nothing', '']
]
