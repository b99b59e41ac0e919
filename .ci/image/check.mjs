// Goes through the steps of the Dockerfile in a temporary folder where there is no builder, then runs the node as its image would: it has to
// become healthy without being root, to store and give back a file, to stop when told to, and to be small. Needs git and npm; the base images
// are stood for by this machine, whose Node.js has to be the one of the image.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { stagesOf } from './dockerfile.mjs'

/** Bytes of the image, and of what distroless/cc-debian12 brings to it. */
const MOST = 250e6
const BASE = 30e6
/** Shared libraries that come with it. */
const LIBRARIES = /^(linux-vdso|.*ld-linux.*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s))\.so/

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'holdfast-image-'))
chmodSync(folder, 0o755)
let child
try {
  const stages = stagesOf(readFileSync(join(root, 'Dockerfile'), 'utf8'))
  checkNode(stages[0].base)
  const places = new Map()
  for (const [i, stage] of stages.entries()) {
    const place = join(folder, stage.name ?? String(i))
    places.set(stage.name, place)
    mkdirSync(join(place, 'usr/local/bin'), { recursive: true })
    if (stage.base.startsWith('node:')) cpSync(process.execPath, join(place, 'usr/local/bin/node'))
    stage.image = build(stage.steps, place, places)
  }
  await run(stages.at(-1).image)
} finally {
  child?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

function checkNode(base) {
  const [, major] = /^node:(\d+)/.exec(base)
  if (process.versions.node.split('.')[0] !== major) throw new Error(`the image has Node.js ${major}, this is ${process.version}`)
}

/** @returns what the image says about how it is run */
function build(steps, place, places) {
  const image = { place, env: {}, workdir: '/' }
  for (const { name, flags, text, words } of steps) {
    console.log(`${name} ${text}`)
    if (name === 'WORKDIR') mkdirSync(join(place, (image.workdir = text)), { recursive: true })
    else if (name === 'COPY') copy(words, flags, image, places)
    else if (name === 'RUN') sh(text, image)
    else if (name === 'ENV') Object.assign(image.env, Object.fromEntries(words.map(word => word.split('='))))
    else if (['USER', 'VOLUME', 'EXPOSE', 'STOPSIGNAL'].includes(name)) image[name.toLowerCase()] = text
    else if (['HEALTHCHECK', 'ENTRYPOINT', 'CMD'].includes(name)) image[name.toLowerCase()] = words
    else throw new Error(`Dockerfile: what ${name} does is not known here`)
  }
  return image
}

function copy(words, { from, chown }, { place, workdir }, places) {
  const target = words.at(-1)
  const to = join(place, target.startsWith('/') ? target : join(workdir, target))
  if (from === undefined) return copyContext(to)
  for (const source of words.slice(0, -1).map(word => join(places.get(from), word))) {
    const isFolder = lstatSync(source).isDirectory()
    const end = isFolder || !target.endsWith('/') ? to : join(to, basename(source))
    mkdirSync(dirname(end), { recursive: true })
    cpSync(source, end, { recursive: true, verbatimSymlinks: true })
    if (chown !== undefined && process.getuid() === 0) chownSync(end, ...chown.split(':').map(Number))
  }
}

/** What git knows or would take, which is what .dockerignore leaves. */
function copyContext(to) {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
  for (const path of stdout.split('\0').filter(path => path !== '')) cpSync(join(root, path), join(to, path), { recursive: true })
}

function sh(command, { place, workdir }) {
  const env = { ...process.env, PATH: `${join(place, 'usr/local/bin')}:${process.env.PATH}` }
  const { status } = spawnSync('sh', ['-ec', command], { cwd: join(place, workdir), env, stdio: 'inherit' })
  if (status !== 0) throw new Error(`RUN ${command}: ended with ${status}`)
}

async function run({ place, env, workdir, user, healthcheck, entrypoint, cmd, stopsignal }) {
  const size = sizeOf(place) + BASE
  console.log(`the image has about ${Math.round(size / 1e6)} MB of ${MOST / 1e6}`)
  if (size > MOST) throw new Error('the image is too large')
  checkLibraries(place)
  const [uid, gid] = user.split(':').map(Number)
  if (!(uid > 0)) throw new Error('the image runs as root')
  const inside = value => (value.startsWith('/') ? join(place, value) : value)
  const how = {
    cwd: join(place, workdir),
    env: {
      PATH: join(place, 'usr/local/bin'),
      HOLDFAST_OFFLINE: '1',
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, inside(value)]))
    },
    ...(process.getuid() === 0 && { uid, gid })
  }
  // a port of its own, as others may run here
  const [program, ...args] = [...entrypoint.map(inside), ...cmd, '--api', '/ip4/127.0.0.1/tcp/0']
  child = spawn(join(place, 'usr/local/bin', program), args, { ...how, stdio: 'inherit' })
  const gone = once(child, 'exit')
  const [checker, ...checked] = healthcheck.map(inside)
  const isHealthy = () => spawnSync(join(place, 'usr/local/bin', checker), checked, { ...how, stdio: 'ignore' }).status === 0
  if (isHealthy()) throw new Error('the health check passes before the node has started')
  for (let left = 60; !isHealthy(); left--) {
    if (left === 0 || child.exitCode !== null) throw new Error('the node did not become healthy')
    await sleep(1000)
  }
  console.log('healthy')
  await roundTrip(readFileSync(join(how.env.HOLDFAST_PATH, 'api'), 'utf8'))
  child.kill(stopsignal)
  const [status] = await gone
  if (status !== 0) throw new Error(`the node ended with ${status}`)
  if (isHealthy()) throw new Error('the health check passes when the node has stopped')
  console.log('all steps of the image work')
}

async function roundTrip(address) {
  const [, , host, , port] = address.trim().split('/')
  const api = `http://${host}:${port}/api/v0`
  const form = new FormData()
  form.set('file', new Blob(['kept in a container']))
  const { Hash } = await (await fetch(`${api}/add`, { method: 'POST', body: form })).json()
  const text = await (await fetch(`${api}/cat?arg=${Hash}`, { method: 'POST' })).text()
  if (text !== 'kept in a container') throw new Error(`cat answered ${text}`)
}

/** Programs need no library that is not in the image. */
function checkLibraries(place) {
  const prebuilds = join(place, 'app/node_modules/rocksdb/prebuilds')
  const platforms = readdirSync(prebuilds)
  if (platforms.length !== 1) throw new Error(`the image has RocksDB for ${platforms.join(', ')}`)
  const folder = join(prebuilds, platforms[0])
  const brought = readdirSync(join(place, 'usr/local/lib'))
  for (const file of [join(place, 'usr/local/bin/node'), ...readdirSync(folder).map(name => join(folder, name))]) {
    const { stdout, status } = spawnSync('ldd', [file], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`ldd ${file}: ended with ${status}`)
    const missing = stdout
      .split('\n')
      .map(line => line.trim().split(' ')[0])
      .filter(name => name !== '' && !LIBRARIES.test(name) && !brought.includes(name))
    if (missing.length > 0) throw new Error(`${file} needs ${missing.join(', ')}, which the image lacks`)
  }
}

function sizeOf(path) {
  const stat = lstatSync(path)
  if (!stat.isDirectory()) return stat.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}
