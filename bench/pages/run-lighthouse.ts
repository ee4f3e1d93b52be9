import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from '#e2e/support/find-chromium.ts'

const home = join(import.meta.dirname, '../lighthouse')
const timeoutMs = 180_000

/**
 * The values that are read from a report: scores from 0 to 100, milliseconds, and Lighthouse's benchmark index of the
 * machine.
 */
export interface LighthouseVisit {
  performance: number
  accessibility: number
  bestPractices: number
  seo: number
  largestPaintMs: number
  blockedMs: number
  shift: number
  benchmark: number
}

interface Report {
  categories: Record<string, { score: number | null }>
  audits: Record<string, { numericValue?: number }>
  environment: { benchmarkIndex: number }
  runtimeError?: { message: string }
}

/** Installs Lighthouse on first use, because it is large and only this bench needs it. */
export function installLighthouse(): void {
  if (existsSync(join(home, 'node_modules/lighthouse'))) return
  console.log('Fetching Lighthouse (180 MB on disk), once …')
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: home,
    stdio: 'inherit',
    timeout: 10 * 60_000,
  })
}

/**
 * Runs Lighthouse with its defaults: a phone, slow 4G, and a CPU slowed down to a quarter.
 * @throws Error if Lighthouse writes no report
 */
export async function visitWithLighthouse(url: string): Promise<LighthouseVisit> {
  const { executablePath, args } = await findChromium()
  const folder = mkdtempSync(join(tmpdir(), 'cliffhanger-lighthouse-'))
  const file = join(folder, 'report.json')
  try {
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        join(home, 'node_modules/lighthouse/cli/index.js'),
        url,
        '--output=json',
        `--output-path=${file}`,
        '--quiet',
        '--no-enable-error-reporting',
        `--chrome-flags=${['--headless=new', ...args].join(' ')}`,
      ],
      { env: { ...process.env, CHROME_PATH: executablePath }, encoding: 'utf8', timeout: timeoutMs },
    )
    if (status !== 0) throw new Error(`Lighthouse could not visit ${url}: ${stderr.slice(-500)}`)
    return readReport(JSON.parse(readFileSync(file, 'utf8')) as Report)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readReport({ categories, audits, environment, runtimeError }: Report): LighthouseVisit {
  if (runtimeError) throw new Error(runtimeError.message)
  const score = (name: string) => Math.round((categories[name]?.score ?? 0) * 100)
  const value = (name: string) => audits[name]?.numericValue ?? Number.NaN
  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    bestPractices: score('best-practices'),
    seo: score('seo'),
    largestPaintMs: value('largest-contentful-paint'),
    blockedMs: value('total-blocking-time'),
    shift: value('cumulative-layout-shift'),
    benchmark: environment.benchmarkIndex,
  }
}
