// Puts what the compiler made of the sources, and the libraries that are many small modules, into a few files under dist/bundle: what is
// installed starts in two thirds of the time. All entries share their pieces, so a plugin's 'holdfast' is the host's own.
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))
/** Loaded as they are: they find files of their own beside themselves, or would not be loaded at all. */
const external = ['cosmiconfig', 'dtrace-provider', 'prom-client', 'rocksdb', 'semver', 'yazl']

// Pieces are named by what is in them: those of the build before would stay.
rmSync(new URL('../dist/bundle', import.meta.url), { recursive: true, force: true })
await build({
  absWorkingDir: root,
  entryPoints: ['host/cli/bin', 'host/cli/main', 'host/cli/plugin/examine', 'host/index', 'host/testing', 'core/index'].map(name => `dist/${name}.js`),
  outdir: 'dist/bundle',
  outbase: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.20',
  minifyWhitespace: true,
  lineLimit: 140,
  external,
  // what is CommonJS among it asks for Node.js's own modules that way
  banner: { js: "import { createRequire as requireFor } from 'node:module';const require = requireFor(import.meta.url);" },
  logLevel: 'warning'
})
