import { accessSync, constants } from 'node:fs'
import type { ExecutionContext } from 'ava'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { temporaryFolder } from '../../../helpers/folder.ts'

const EXECUTABLE = '/usr/bin/chromium'

/** Whether there is a browser; says so where there is none. */
export function isThere(): boolean {
  try {
    accessSync(EXECUTABLE, constants.X_OK)
    return true
  } catch {
    console.log(`skipped: no browser at ${EXECUTABLE}, so nothing is loaded in one (apt-get install chromium)`)
    return false
  }
}

/** A browser that finds every name below `localhost` on this machine, and nothing else. */
export async function browse(
  t: ExecutionContext,
  options: Parameters<typeof chromium.launchPersistentContext>[1] = {}
): Promise<BrowserContext> {
  const context = await chromium.launchPersistentContext(await temporaryFolder(t), {
    executablePath: EXECUTABLE,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP *.localhost 127.0.0.1, MAP localhost 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'
    ],
    ...options
  })
  t.teardown(() => context.close())
  return context
}

/** Everything that a page complains of. */
export function complaints(page: Page): string[] {
  const found: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') found.push(message.text())
  })
  page.on('pageerror', error => found.push(String(error)))
  page.on('requestfailed', request => found.push(`${request.url()}: ${request.failure()?.errorText}`))
  page.on('response', response => {
    if (response.status() >= 400) found.push(`${response.url()}: ${response.status()}`)
  })
  return found
}

/** Leaves a picture for who wants to look, in the folder that `SCREENSHOTS` names. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS']
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` })
}
