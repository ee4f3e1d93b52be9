import { defineConfig } from '@playwright/test'
import { findChromium } from './support/find-chromium.ts'

const chromium = await findChromium()
// Disables V8's compilers. A test page exists for seconds, so compiling its scripts costs more CPU time than it saves.
// Without the compilers, the tests need a ninth less CPU time.
const interpretScripts = '--js-flags=--no-turbofan --no-maglev --no-sparkplug'
const launchOptions = { ...chromium, args: [...chromium.args, interpretScripts] }
// A random port below the range of ephemeral ports. The worker processes inherit the variable.
process.env['E2E_FIRST_PORT'] ??= String(10_000 + 100 * Math.floor(Math.random() * 200))

export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
export const desktop = { viewport: { width: 1440, height: 900 } }

/**
 * Tests whose result does not depend on the screen size run in one size only: that of their typical users. Whole files
 * are listed here; single tests have the tag `@phone` or `@desktop`.
 */
export const onPhones =
  /(billing\/(?!purchase\.)[\w-]+|pages\/(account|consent|empty|error-reports|forms|hover|installed|language|pages|placeholders|routes|rows)|playback\/(encrypted|end-of-drama|extra-codec|first-picture|native-player|playback-failures|playback-metrics|segment-worker|unexpected-errors)|studio\/(experiments|labels|plans|publish|session|tablet|unsaved))\.spec\.ts/
export const onDesktops =
  /(pages\/keyboard|playback\/long-session|studio\/(content|folder-import|homepage|keyboard|search))\.spec\.ts/

/** Suites that run with their own commands. */
export const ownSuites = ['screens/**', 'media/**']

export default defineConfig({
  testDir: '.',
  testIgnore: ownSuites,
  outputDir: '../test-results/e2e',
  globalSetup: './site/global-setup.ts',
  // Long timeouts, because a busy machine must not make a test fail.
  timeout: 300_000,
  expect: { timeout: 60_000, toPass: { timeout: 120_000 } },
  // More workers than cores, because tests mostly wait for frames, jobs or 3-D Secure.
  workers: 5,
  forbidOnly: true,
  use: {
    launchOptions,
    // Shorter than a test's timeout, so that the error names the action that did not end.
    actionTimeout: 120_000,
    navigationTimeout: 120_000,
    // Responses of the service worker would bypass the requests that tests intercept. installed.spec.ts tests it.
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
