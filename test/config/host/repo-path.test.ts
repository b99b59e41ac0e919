import test from 'ava'
import { repoPath } from '../../../config/host/repo-path.ts'

const places = { env: {}, base: '/etc/holdfast', home: '/home/ann', cwd: '/here' }

test('the repo is where the flag, HOLDFAST_PATH, IPFS_PATH, the configuration say, in this order, else in the home folder', t => {
  const env = { HOLDFAST_PATH: '/hold', IPFS_PATH: '/ipfs' }
  t.is(repoPath({ ...places, flag: '/flag', env, configured: '/file' }), '/flag')
  t.is(repoPath({ ...places, env, configured: '/file' }), '/hold')
  t.is(repoPath({ ...places, env: { IPFS_PATH: '/ipfs' }, configured: '/file' }), '/ipfs')
  t.is(repoPath({ ...places, configured: '/file' }), '/file')
  t.is(repoPath(places), '/home/ann/.holdfast')
})

test('a relative path is meant from where it was said', t => {
  t.is(repoPath({ ...places, flag: 'data/../repo' }), '/here/repo')
  t.is(repoPath({ ...places, env: { IPFS_PATH: './data' } }), '/here/data')
  t.is(repoPath({ ...places, configured: './data' }), '/etc/holdfast/data')
})

test('a tilde means the home folder, and an empty variable means nothing', t => {
  t.is(repoPath({ ...places, env: { HOLDFAST_PATH: '', IPFS_PATH: '~/x' } }), '/home/ann/x')
  t.is(repoPath({ ...places, flag: '~' }), '/home/ann')
  t.is(repoPath({ ...places, configured: '~other/x' }), '/etc/holdfast/~other/x')
})
