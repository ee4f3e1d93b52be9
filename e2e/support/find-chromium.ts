import { accessSync, constants } from 'node:fs'
import { chromium } from '@playwright/test'
import packed from '@sparticuz/chromium'

/** Finds an installed Chromium and its arguments: CHROMIUM_PATH, Debian's, Playwright's own, else the packaged one. */
export async function findChromium(): Promise<{ executablePath: string; args: string[] }> {
  const localPath = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', chromium.executablePath()].find(
    isProgram,
  )
  const args = [...commonArgs, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
  return localPath
    ? { executablePath: localPath, args }
    : { executablePath: await packed.executablePath(), args: [...packed.args.filter(isAllowedArg), ...args] }
}

/**
 * Arguments of the packaged Chromium that are unsuitable: they are for one page at a time and disable security. Without a zygote
 * each page's process starts from scratch, a tenth of the tests' time.
 */
const excludedArgs = [
  '--single-process',
  '--no-zygote',
  '--disable-web-security',
  '--allow-running-insecure-content',
]
const isAllowedArg = (arg: string) => !excludedArgs.includes(arg)

/**
 * No test needs the network beyond the site. Rendering is in software: without a graphics card Chromium would emulate one in the
 * page's own process, for hundreds of milliseconds that real phones do not need.
 */
const commonArgs = [
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
