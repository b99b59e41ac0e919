/** How AVA runs what needs real Kubo, which `npm test` leaves out. */
export default {
  files: ['dist/test/interop/*.interop.js'],
  require: ['./dist/test/helpers/process/watchdog.js', './dist/test/helpers/process/user-folders.js'],
  timeout: '120s',
  workerThreads: false,
  concurrency: 2
}
