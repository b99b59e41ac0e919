/** What a browser makes of the gateway: Debian's chromium, where it is installed. */
import { encode } from '@ipld/dag-cbor'
import test from 'ava'
import { CID } from 'multiformats/cid'
import { DAG_CBOR } from '../../../../core/cid/index.ts'
import { world } from '../world.ts'
import { browse, complaints, isThere, keepPicture } from './browser.ts'
import { LOOKS, type Looks } from './looks.ts'

const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1280, height: 800 }

const inBrowser = isThere() ? test.serial : test.serial.skip

const head = (title: string, depth = '') =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="/images/dot.svg">` +
  `<link rel="stylesheet" href="${depth}styles/site.css"><script type="module" src="/scripts/main.mjs"></script></head>`

const SITE = {
  'index.html': `${head('Home')}<body><h1>Home</h1><img id="dot" src="images/dot.svg" alt=""><img id="pixel" src="images/pixel" alt=""><a href="about/">About</a></body></html>`,
  'about/index.html': `${head('About', '../')}<body><h1>About</h1><a href="/notes/żółw%20%231.html?from=about#end">Note</a></body></html>`,
  'notes/żółw #1.html': `${head('Note', '/')}<body><h1>Note</h1><p id="end">end</p></body></html>`,
  'styles/site.css': '@import "colours.css"; h1 { margin-top: 7px }',
  'styles/colours.css': 'h1 { color: rgb(1, 2, 3) }',
  'scripts/main.mjs':
    "import { text } from './part.mjs'\nconst { data } = await (await fetch('/data.json')).json()\ndocument.body.dataset.made = text + data",
  'scripts/part.mjs': "export const text = 'by a script and '",
  'data.json': '{ "data": "its data" }',
  'images/dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><circle r="5" cx="5" cy="5"/></svg>',
  // its type is told by its bytes alone
  'images/pixel': Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
}

inBrowser('a site of several pages, styles, modules and images loads in an origin of its own without a complaint', async t => {
  const at = await world(t)
  const { root } = await at.add(SITE)
  const page = await (await browse(t)).newPage()
  const found = complaints(page)
  const made = () => page.waitForFunction("document.body.dataset.made === 'by a script and its data'")
  // of a path the browser is sent to the site's own host
  await page.goto(`http://localhost:${at.port}/ipfs/${root}`)
  t.is(page.url(), `http://${root}.ipfs.localhost:${at.port}/`)
  await made()
  t.is(await page.title(), 'Home')
  const widths = await page.evaluate('[...document.images].map(({ naturalWidth }) => naturalWidth)')
  t.deepEqual(widths, [20, 1])
  await page.click('a')
  await page.waitForURL('**/about/')
  await made()
  const style = await page.evaluate("(({ color, marginTop }) => [color, marginTop])(getComputedStyle(document.querySelector('h1')))")
  t.deepEqual(style, ['rgb(1, 2, 3)', '7px'])
  await page.click('a')
  await page.waitForURL('**/notes/**')
  await made()
  t.is(await page.textContent('h1'), 'Note')
  t.deepEqual(found, [])
  // another site's storage is another one
  const origin = await page.evaluate("(localStorage.setItem('mine', '1'), location.origin)")
  t.is(origin, `http://${root}.ipfs.localhost:${at.port}`)
  const other = await at.add({ 'index.html': '<!doctype html><title>Other</title><link rel="icon" href="data:,">' })
  await page.goto(`http://${other.root}.ipfs.localhost:${at.port}/`)
  t.is(await page.evaluate("localStorage.getItem('mine')"), null)
  t.deepEqual(found, [])
})

/** Values of all kinds. */
const VALUES = {
  list: [1, 'two', { three: 3.5, none: null, yes: true }],
  text: 'a text that goes on for so long that it does not fit into one line of any window that somebody reads it in',
  bytes: Buffer.alloc(40, 'bytes'),
  link: CID.parse('bafkqaaa')
}

/** Names of all kinds, a long one without a place to break among them. */
const LISTED = {
  'a picture of the sea.jpg': 'x'.repeat(12_345),
  'README.md': '# Read\n',
  [`${'long-name-without-a-break'.repeat(8)}.tar.gz`]: 'x'.repeat(100),
  '<b>bold & "quoted".txt': 'x',
  'żółw.txt': 'x'.repeat(2_000_000),
  'folder/inner.txt': 'inner'
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [device, viewport] of [
    ['phone', PHONE],
    ['desktop', DESKTOP]
  ] as const) {
    inBrowser(`a listing fits and can be read on a ${device} in ${colorScheme} colours`, async t => {
      const at = await world(t)
      const { root } = await at.add(LISTED)
      const context = await browse(t, { viewport, colorScheme })
      const page = await context.newPage()
      const found = complaints(page)
      await page.goto(`http://127.0.0.1:${at.port}/ipfs/${root}/`)
      const shown = await page.evaluate<Looks>(LOOKS)
      await keepPicture(page, `listing-${device}-${colorScheme}`)
      t.is(shown.rows, Object.keys(LISTED).length)
      t.true(shown.texts > 20)
      t.is(shown.overflow, 0)
      t.is(shown.outside, 0)
      t.true(shown.smallest >= 12, `${shown.smallest} px`)
      // WCAG 2.2, AA
      t.true(shown.contrast >= 4.5, `${shown.contrast}`)
      t.is(shown.lightness > 0.5, colorScheme === 'light')
      // a finger's breadth, on what is touched
      if (device === 'phone') t.true(shown.lowestRow >= 40, `${shown.lowestRow} px`)
      // a browser asks for an icon of a host by itself: there is none on a gateway
      t.deepEqual(
        found.filter(text => !text.includes('favicon.ico') && !text.includes('404 (Not Found)')),
        []
      )
      await page.click('text=folder')
      await page.waitForURL('**/folder/')
      await page.click('text=..')
      await page.waitForURL(`**/${root}/`)
      t.true((await page.textContent('h1'))!.startsWith('Index of /ipfs/'))
      await page.goto(`http://127.0.0.1:${at.port}/ipfs/${root}/nothing`)
      const error = await page.evaluate<Looks>(LOOKS)
      await keepPicture(page, `error-${device}-${colorScheme}`)
      t.is(error.overflow, 0)
      t.true(error.contrast >= 4.5, `${error.contrast}`)
      await page.goto(`http://127.0.0.1:${at.port}/ipfs/${await at.put(encode(VALUES), DAG_CBOR)}/`)
      const values = await page.evaluate<Looks>(LOOKS)
      await keepPicture(page, `values-${device}-${colorScheme}`)
      t.is(values.overflow, 0)
      t.is(values.outside, 0)
      t.true(values.contrast >= 4.5, `${values.contrast}`)
    })
  }
}

inBrowser('a long folder is searched by its form with the keyboard alone, and a click on its CID selects the whole of it', async t => {
  const at = await world(t)
  const { root } = await at.add(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`entry ${i}.txt`, `${i}`])))
  const page = await (await browse(t, { viewport: PHONE })).newPage()
  const found = complaints(page)
  await page.goto(`http://127.0.0.1:${at.port}/ipfs/${root}/`)
  t.is((await page.evaluate<Looks>(LOOKS)).rows, 40)
  await page.click('main dd')
  t.is(await page.evaluate('String(getSelection()).trim()'), root)
  await page.getByRole('search').getByLabel('Find in this folder').focus()
  await page.keyboard.type('Y 3')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/?search=Y+3')
  await keepPicture(page, 'search-phone-light')
  const names = await page.getByRole('row').getByRole('cell').getByRole('link', { name: 'entry' }).allTextContents()
  t.deepEqual(names, ['entry 3.txt', ...Array.from({ length: 10 }, (_, i) => `entry ${30 + i}.txt`)])
  t.is(await page.getByRole('status').textContent(), '11 of 40 names have Y 3 in it.')
  const searched = await page.evaluate<Looks>(LOOKS)
  t.is(searched.overflow, 0)
  t.true(searched.contrast >= 4.5, `${searched.contrast}`)
  await page.getByRole('link', { name: 'Show all' }).click()
  await page.waitForURL(`**/${root}/`)
  t.deepEqual(
    found.filter(text => !text.includes('favicon.ico') && !text.includes('404 (Not Found)')),
    []
  )
})

const HOUR = 3600

/** A recording of silence with a mark in each second, as PCM. */
function recording(seconds: number, rate = 8000): Buffer {
  const samples = Buffer.alloc(seconds * rate * 2)
  for (let second = 0; second < seconds; second++) samples.writeInt16LE(8000 + second, second * rate * 2)
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(2 * rate, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}

/** The first byte that an answer with a part of a file has. */
const startOf = (field: string | undefined) => Number(/^bytes (\d+)-/.exec(field ?? '')?.[1])

inBrowser('a recording is played, and sought in by ranges', async t => {
  const at = await world(t)
  const wav = recording(HOUR)
  const { root } = await at.add({
    'index.html': '<!doctype html><link rel="icon" href="data:,"><video id="media" preload="metadata" controls src="talk.wav"></video>',
    'talk.wav': wav
  })
  const page = await (await browse(t)).newPage()
  const found = complaints(page)
  const starts: number[] = []
  const statuses = new Set<number>()
  page.on('response', response => {
    if (!response.url().endsWith('/talk.wav')) return
    statuses.add(response.status())
    starts.push(startOf(response.headers()['content-range']))
  })
  await page.goto(`http://${root}.ipfs.localhost:${at.port}/`)
  const duration = await page.evaluate(`new Promise(resolve => {
    const media = document.querySelector('video')
    if (media.readyState > 0) resolve(media.duration)
    else media.onloadedmetadata = () => resolve(media.duration)
  })`)
  t.is(duration, HOUR)
  for (const to of [3000, 600]) {
    const time = await page.evaluate<number>(`(async () => {
      const media = document.querySelector('video')
      const sought = new Promise(resolve => { media.onseeked = resolve })
      media.currentTime = ${to}
      await sought
      media.muted = true
      await media.play()
      while (media.currentTime < ${to} + 0.2) await new Promise(requestAnimationFrame)
      media.pause()
      return media.currentTime
    })()`)
    t.true(time > to && time < to + 10, `${time}`)
  }
  t.deepEqual([...statuses], [206])
  // what was sought was asked for, and not read up to
  t.true(
    starts.some(start => start > 40_000_000 && start <= 44 + 3000 * 16_000),
    starts.join(' ')
  )
  t.deepEqual(
    found.filter(text => !text.includes('net::ERR_ABORTED')),
    []
  )
})
