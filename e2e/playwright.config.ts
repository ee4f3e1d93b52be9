import { defineConfig } from '@playwright/test'
import { findChromium } from './support/find-chromium.ts'

const chromium = await findChromium()
// A page of a test lives for seconds: to compile its scripts costs the processor more than it spares, a ninth of all that tests take.
const interpretScripts = '--js-flags=--no-turbofan --no-maglev --no-sparkplug'
const launchOptions = { ...chromium, args: [...chromium.args, interpretScripts] }
// Below the ports that the system gives out by itself; workers inherit it.
process.env['E2E_FIRST_PORT'] ??= String(10_000 + 100 * Math.floor(Math.random() * 200))

export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
export const desktop = { viewport: { width: 1440, height: 900 } }

/**
 * What is the same on every screen is tested on one, that of the people it is made for: files here, single tests by `@phone`
 * or `@desktop` in their names.
 */
export const onPhones =
  /(billing\/[\w-]+|pages\/(account|consent|empty|error-reports|forms|hover|installed|language|pages|placeholders|routes|rows)|playback\/(bad-days|encrypted|end-of-drama|extra-codec|first-picture|native-player|playback-metrics|segment-worker|silence)|studio\/(experiments|labels|plans|publish|session|tablet|unsaved))\.spec\.ts/
export const onDesktops =
  /(pages\/keyboard|playback\/stamina|studio\/(content|folder-import|homepage|keyboard|search))\.spec\.ts/

/** Suites with a command of their own. */
export const ownSuites = ['screens/**', 'media/**']

export default defineConfig({
  testDir: '.',
  testIgnore: ownSuites,
  outputDir: '../test-results/e2e',
  globalSetup: './site/global-setup.ts',
  timeout: 120_000,
  expect: { timeout: 30_000 },
  // Most of the time a test waits: for pictures, for a job, for the bank.
  workers: 5,
  forbidOnly: true,
  use: {
    launchOptions,
    // Requests that it answers pass by a test's stand-ins; installed.spec.ts is about it.
    serviceWorkers: 'block',
    screenshot: 'only-on-failure',
  },
  projects: [
    {
      name: 'phone',
      testIgnore: [onDesktops, ...ownSuites],
      grepInvert: /@desktop|@screens/,
      use: phone,
    },
    {
      name: 'desktop',
      testIgnore: [onPhones, ...ownSuites],
      grepInvert: /@phone|@screens/,
      use: desktop,
    },
  ],
})
