import { defineConfig } from '@playwright/test'
import { findChromium } from './find-chromium.ts'
import { declinedAt, siteUrl } from './site-url.ts'

const launchOptions = await findChromium()

/**
 * What is the same on every screen is seen on one, that of whom it is made for first: files here, single tests by `@phone` or
 * `@desktop` in their names.
 */
const onPhones =
  /(account|bad-days|consent|empty|encrypted|error-reports|extra-rung|filled|first-picture|forms|french|hover|in-app-browser|installed|language|order-result|owed|own-player|pages|paypal|placeholders|play-events|refund|renewal|routes|rows|silence|stripe|studio-(experiments|names|plans|publish|session|sheets|tablet|unsaved))\.spec\.ts/
const onDesktops = /(keyboard|stamina|studio-(content|folder|homepage|keyboard|search))\.spec\.ts/

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results/e2e',
  timeout: 60_000,
  expect: { timeout: 15_000 },
  workers: 2,
  forbidOnly: true,
  use: {
    baseURL: siteUrl,
    launchOptions,
    storageState: declinedAt(siteUrl),
    // Requests that it answers pass by a test's stand-ins; installed.spec.ts is about it.
    serviceWorkers: 'block',
    screenshot: 'only-on-failure',
  },
  projects: [
    {
      name: 'phone',
      testIgnore: onDesktops,
      grepInvert: /@desktop/,
      use: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    },
    {
      name: 'desktop',
      testIgnore: onPhones,
      grepInvert: /@phone/,
      use: { viewport: { width: 1440, height: 900 } },
    },
  ],
  webServer: {
    command: 'node e2e/start-site.ts',
    cwd: '..',
    url: `${siteUrl}/api/ready`,
    timeout: 180_000,
    gracefulShutdown: { signal: 'SIGTERM', timeout: 15_000 },
    stdout: 'ignore',
    stderr: 'pipe',
  },
})
