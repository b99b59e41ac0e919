// Puts what the compiler made of the sources, and the libraries that are many small modules, into a few files under dist/bundle: what is
// installed starts in two thirds of the time. All entries share their pieces, so a plugin's 'holdfast' is the host's own.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { withSources } from './source-maps.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
/** Loaded as they are: they find files of their own beside themselves. */
const external = ['cosmiconfig', 'ffi-rs', 'rocksdb', 'semver', 'yazl']
/** restify's probes for a tracer, which would be compiled at installation; restify does without where there is none. */
const noProbes = {
  name: 'no-probes',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^dtrace-provider$/ }, ({ path }) => ({ path, namespace: 'no-probes' }))
    onLoad({ filter: /./, namespace: 'no-probes' }, () => ({ contents: 'module.exports = {}' }))
  }
}

/**
 * `node:http` as it is. An import of it has Node.js read all of its members at once, also the one for which it loads its client of WebSockets: 17 ms of a
 * start, and 6 MiB.
 */
const plainHttp = {
  name: 'plain-http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:)?http$/ }, ({ kind }) => (kind === 'require-call' ? undefined : { path: 'node:http', namespace: 'plain-http' }))
    onLoad({ filter: /./, namespace: 'plain-http' }, ({ path }) => ({ contents: `module.exports = process.getBuiltinModule('${path}')` }))
  }
}

/**
 * QUIC without its binary, which is loaded from where it is installed. As it lies there the library brings a libp2p of its own: another copy of each module, a file
 * for each.
 */
const quicBinary = {
  name: 'quic-binary',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/napi\.js$/ }, ({ path, importer }) =>
      importer.includes('/@chainsafe/libp2p-quic/') ? { path, namespace: 'quic-binary' } : undefined
    )
    const contents =
      "export const { Client, QuinnConfig, Server, SocketFamily } = await import(new URL('napi.js', import.meta.resolve('@chainsafe/libp2p-quic')).href)"
    onLoad({ filter: /./, namespace: 'quic-binary' }, () => ({ contents }))
  }
}

/** zod's messages in English alone: those of the other languages are half of its text. */
const englishAlone = {
  name: 'english-alone',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "export { default as en } from './en.js'" }))
  }
}

// Pieces are named by what is in them: those of the build before would stay.
rmSync(new URL('../dist/bundle', import.meta.url), { recursive: true, force: true })
const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
/** What can be imported of this package, as far as it lies in the bundle: `host/index.js`. */
const entrances = Object.values(exports).flatMap(({ default: file }) => /^\.\/dist\/bundle\/(.+)$/.exec(file)?.[1] ?? [])
/** The subjects of `core`, e.g. `core/cid/index.js`. As one entry they cost few more pieces, of which each takes its time to load. */
const subjects = entrances.filter(file => /^core\/\w+\/index\.js$/.test(file))
const namespaces = subjects.map(subjectOf).map(subject => `export * as ${subject} from './${subject}/index.js'\n`)
writeFileSync(`${root}dist/core/subjects.js`, namespaces.join(''))
const entries = [
  ...['host/cli/bin.js', 'host/cli/main.js', 'host/cli/plugin/examine.js', 'core/subjects.js'],
  ...entrances.filter(file => !subjects.includes(file))
]
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: entries.map(file => `dist/${file}`),
  outdir: 'dist/bundle',
  outbase: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.20',
  minifyWhitespace: true,
  lineLimit: 140,
  sourcemap: 'linked',
  sourcesContent: false,
  external,
  plugins: [noProbes, plainHttp, quicBinary, englishAlone],
  // what is CommonJS among it asks for Node.js's own modules that way
  banner: { js: "import { createRequire as requireFor } from 'node:module';const require = requireFor(import.meta.url);" },
  logLevel: 'warning',
  metafile: true
})
for (const file of subjects) await writeSubject(file)
namePieces()
// for pages too, so with nothing of Node.js in it, and whole: it has libraries in it that an installation does not bring
const browser = await build({
  absWorkingDir: root,
  entryPoints: ['dist/host/client/gateway/index.js'],
  outfile: 'dist/browser/gateway.js',
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2023',
  minifyWhitespace: true,
  lineLimit: 140,
  logLevel: 'warning',
  metafile: true
})
for (const file of Object.keys(metafile.outputs).filter(name => name.endsWith('.map'))) {
  const map = JSON.parse(readFileSync(`${root}${file}`, 'utf8'))
  writeFileSync(`${root}${file}`, JSON.stringify(withSources(map, source => /^(?:\.\.\/)+(?:core|config|host|plugins)\//.test(source))))
}
writeFileSync(`${root}dist/bundle/LICENSES.txt`, licenses([metafile, browser.metafile].flatMap(({ inputs }) => Object.keys(inputs))))

/** Names the pieces `.mjs`: for each `.js` that is loaded Node.js looks for the `package.json` which says what it is, a tenth of a start. */
function namePieces() {
  for (const file of Object.keys(metafile.outputs).filter(name => name.endsWith('.js'))) {
    const text = readFileSync(`${root}${file}`, 'utf8')
    writeFileSync(`${root}${file}`, text.replace(/(["'](?:\.{1,2}\/)+[\w./-]*-[A-Z0-9]{8})\.js(?=["'])/g, '$1.mjs'))
    renameSync(`${root}${file}`, `${root}${file.replace(/(-[A-Z0-9]{8})\.js$/, '$1.mjs')}`)
  }
}

/** Writes a subject's entrance, which takes its names out of the one entry of all. */
async function writeSubject(file) {
  const options = { absWorkingDir: root, entryPoints: [`dist/${file}`], outdir: 'dist', write: false, format: 'esm', metafile: true }
  const { metafile: own } = await build(options)
  const [{ exports: names }] = Object.values(own.outputs)
  const subject = subjectOf(file)
  mkdirSync(dirname(`${root}dist/bundle/${file}`), { recursive: true })
  const text = `import { ${subject} } from '../subjects.js'\nexport const { ${names.join(', ')} } = ${subject}\n`
  writeFileSync(`${root}dist/bundle/${file}`, text)
}

/** `cid` of `core/cid/index.js`. */
function subjectOf(file) {
  return file.split('/')[1]
}

/** The licenses of the packages that these files belong to, which ask to be handed on with the code. */
function licenses(files) {
  const folders = new Set(files.map(file => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]).filter(folder => folder !== undefined))
  const texts = [...folders].sort().map(folder => {
    const { name, version, license, author } = JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8'))
    const own = readdirSync(`${root}${folder}`).find(file => /^licen[cs]e|^copying/i.test(file))
    const text = own === undefined ? `License: ${license}. Author: ${author?.name ?? author ?? 'not named'}.` : readFileSync(`${root}${folder}/${own}`, 'utf8').trim()
    return `${name} ${version}\n\n${text}\n`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}
