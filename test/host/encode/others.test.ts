import test from 'ava'
import { z } from 'zod'
import { goFormatter } from '../../../host/encode/go-format.ts'
import { escapeXml, xmlWriter } from '../../../host/encode/xml.ts'

const event = z.object({
  Name: z.string(),
  Hash: z.string().optional(),
  Bytes: z.int().meta({ go: 'int64' }).optional(),
  Size: z.string().optional()
})
const link = z.object({ '/': z.string() })

test('Go prints a struct with the types that are no text', t => {
  t.is(goFormatter(event)({ Name: 'n', Size: '16' }), '&{n  %!s(int64=0) 16}')
  t.is(
    goFormatter(z.object({ A: z.bigint(), B: z.number(), C: z.boolean() }))({ A: 1n, B: 0.5, C: true }),
    '&{%!s(uint64=1) %!s(float64=0.5) %!s(bool=true)}'
  )
})

test('Go prints lists, maps, links, and what has a text of its own', t => {
  t.is(
    goFormatter(z.array(z.object({ Code: z.int(), Name: z.string() })))([
      { Code: 85, Name: 'raw' },
      { Code: 0, Name: '' }
    ]),
    '[{%!s(int=85) raw} {%!s(int=0) }]'
  )
  t.is(
    goFormatter(z.object({ Keys: z.record(z.string(), z.object({ Type: z.string() })) }))({ Keys: { b: { Type: 'x' }, a: { Type: 'y' } } }),
    '&{map[a:{y} b:{x}]}'
  )
  t.is(goFormatter(z.object({ Cid: link, None: z.array(z.string()).nullable() }))({ Cid: { '/': 'Qm' }, None: null }), '&{Qm []}')
  t.is(goFormatter(event.meta({ string: () => 'mine' }))({}), 'mine')
})

test('XML has an element per member, zeros where JSON leaves out', t => {
  t.is(
    xmlWriter(event, 'AddEvent')({ Name: '<n>', Size: '16' }),
    '<AddEvent><Name>&lt;n&gt;</Name><Hash></Hash><Bytes>0</Bytes><Size>16</Size></AddEvent>'
  )
  t.is(xmlWriter(z.object({ Cid: link }), 'Out')({ Cid: { '/': 'Qm' } }), '<Out><Cid>Qm</Cid></Out>')
})

test('XML has one element per entry of a list, by its member’s name or the one declared', t => {
  const schema = z.object({ Links: z.array(event.pick({ Name: true })), Stats: z.array(z.int()).meta({ xml: 'StatsArray' }).nullable() })
  t.is(
    xmlWriter(schema, 'Ls')({ Links: [{ Name: 'a' }, { Name: 'b' }], Stats: [1] }),
    '<Ls><Links><Name>a</Name></Links><Links><Name>b</Name></Links><StatsArray>1</StatsArray></Ls>'
  )
  t.is(xmlWriter(schema, 'Ls')({ Links: [], Stats: null }), '<Ls></Ls>')
  t.is(xmlWriter(z.array(z.object({ A: z.boolean() })), 'One')([{ A: true }, {}]), '<One><A>true</A></One><One><A>false</A></One>')
})

test('XML cannot hold a map', t => {
  const keys = z.object({ Keys: z.record(z.string(), z.int()).meta({ go: 'map[string]pin.PinLsType' }) })
  t.throws(() => xmlWriter(keys, 'Keys')({ Keys: {} }), { message: 'xml: unsupported type: map[string]pin.PinLsType' })
})

test('text in XML is escaped as Go does', t => {
  t.is(escapeXml('<&>"\'\t\n\r\0\x1f\ufffe\udc80é'), '&lt;&amp;&gt;&#34;&#39;&#x9;&#xA;&#xD;\ufffd\ufffd\ufffd\ufffdé')
})
