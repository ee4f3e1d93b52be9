import { accessSync, constants } from 'node:fs'
import { chromium } from '@playwright/test'
import packed from '@sparticuz/chromium'

/**
 * Finds a Chromium and its arguments: the one in CHROMIUM_PATH, else Debian's, else Playwright's, else the one in an
 * npm package.
 */
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
 * Arguments of the packaged Chromium that are left out. `--single-process` allows only one page at a time. With
 * `--no-zygote`, the process of every page starts from scratch, which would take a tenth of the tests' time. The others
 * disable security.
 */
const excludedArgs = [
  '--single-process',
  '--no-zygote',
  '--disable-web-security',
  '--allow-running-insecure-content',
]
const isAllowedArg = (arg: string) => !excludedArgs.includes(arg)

/**
 * Arguments of every Chromium. Tests need no network beyond the site. Pages are rendered in software: otherwise a
 * Chromium without a graphics card emulates one in the page's process. The emulation takes hundreds of milliseconds,
 * which a real phone does not need.
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
