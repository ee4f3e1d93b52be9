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

export default defineConfig({
  testDir: '.',
  // These suites run with their own commands.
  testIgnore: ['screens/**', 'media/**'],
  outputDir: '../test-results/e2e',
  globalSetup: './site/global-setup.ts',
  // Long timeouts, because a busy machine must not make a test fail.
  timeout: 300_000,
  expect: { timeout: 60_000, toPass: { timeout: 120_000 } },
  // For two cores. Tests also wait for frames, jobs or 3-D Secure. More browsers would need more processor time for the
  // same tests, because pages draw frames while they wait.
  workers: 4,
  forbidOnly: true,
  use: {
    launchOptions,
    // Shorter than a test's timeout, so that the error names the action that did not end.
    actionTimeout: 120_000,
    navigationTimeout: 120_000,
    // Tests could not intercept requests to which a service worker responds. pwa.spec.ts tests the worker.
    serviceWorkers: 'block',
    screenshot: 'only-on-failure',
  },
  // Tests run on a phone, or with the tag `@desktop` on a desktop. `npm run test:screens` also runs the tests with the
  // tag `@sizes` on a desktop, and the tests with the tag `@screens`: long tests, and tests of a flow's details.
  // The fixed numbers of workers keep each worker in one project: a worker that changed to the other project would
  // start a new site and a new browser.
  projects: [
    { name: 'phone', workers: 3, grepInvert: /@desktop|@screens/, use: phone },
    { name: 'desktop', workers: 1, grep: /@desktop/, grepInvert: /@screens/, use: desktop },
  ],
})
