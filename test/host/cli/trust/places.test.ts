import { join } from 'node:path'
import test from 'ava'
import { cacheFolder, configurationFolder, stateFolder } from '../../../../host/cli/trust/places.ts'

const home = '/home/ann'

test('what is remembered lies where the system has such things', t => {
  t.is(stateFolder({ env: {}, home, platform: 'linux' }), '/home/ann/.local/state/holdfast')
  t.is(stateFolder({ env: {}, home, platform: 'freebsd' }), '/home/ann/.local/state/holdfast')
  t.is(stateFolder({ env: {}, home, platform: 'darwin' }), '/home/ann/Library/Application Support/holdfast')
  t.is(stateFolder({ env: {}, home, platform: 'win32' }), join(home, 'AppData', 'Local', 'holdfast'))
  t.is(stateFolder({ env: { LOCALAPPDATA: '/local' }, home, platform: 'win32' }), join('/local', 'holdfast'))
  for (const platform of ['linux', 'darwin', 'win32'] as const)
    t.is(stateFolder({ env: { XDG_STATE_HOME: '/state' }, home, platform }), join('/state', 'holdfast'), platform)
})

test('so does what can be made again', t => {
  t.is(cacheFolder({ env: {}, home, platform: 'linux' }), '/home/ann/.cache/holdfast')
  t.is(cacheFolder({ env: {}, home, platform: 'darwin' }), '/home/ann/Library/Caches/holdfast')
  t.is(cacheFolder({ env: { XDG_CACHE_HOME: '/c' }, home, platform: 'darwin' }), '/c/holdfast')
  t.is(cacheFolder({ env: { XDG_CACHE_HOME: 'c' }, home, platform: 'linux' }), '/home/ann/.cache/holdfast')
})

test("the user's own configuration lies in ~/.config unless XDG_CONFIG_HOME says otherwise", t => {
  t.is(configurationFolder({ env: {}, home }), '/home/ann/.config/holdfast')
  t.is(configurationFolder({ env: { XDG_CONFIG_HOME: '/c' }, home }), '/c/holdfast')
})

test('relative paths in these variables do not count, as they would name another folder wherever one is', t => {
  for (const relative of ['', '.', 'state', './x', '../x']) {
    t.is(stateFolder({ env: { XDG_STATE_HOME: relative }, home, platform: 'linux' }), '/home/ann/.local/state/holdfast')
    t.is(configurationFolder({ env: { XDG_CONFIG_HOME: relative }, home }), '/home/ann/.config/holdfast')
  }
})
