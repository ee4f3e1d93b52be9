import { accessSync, constants } from 'node:fs'
import { chromium } from '@playwright/test'
import packed from '@sparticuz/chromium'

/** A Chromium that is there, and how it wants to be started: CHROMIUM_PATH, Debian's, Playwright's own, else the packed one. */
export async function findChromium(): Promise<{ executablePath: string; args: string[] }> {
  const here = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', chromium.executablePath()].find(isProgram)
  const args = [...quiet, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
  return here
    ? { executablePath: here, args }
    : { executablePath: await packed.executablePath(), args: [...packed.args.filter(isFit), ...args] }
}

/**
 * The packed one's own arguments are for one page at a time, and for pages that may do what no browser lets them. Without a zygote
 * each page's process is loaded from nothing, a tenth of all that tests take.
 */
const unfit = [
  '--single-process',
  '--no-zygote',
  '--disable-web-security',
  '--allow-running-insecure-content',
]
const isFit = (arg: string) => !unfit.includes(arg)

/**
 * No tests need the network beyond the site. The processor draws: without a graphics card Chromium would imitate one in the
 * page's own process, for hundreds of milliseconds that no person's phone spends.
 */
const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

function isProgram(path: string | undefined): path is string {
  if (!path) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
