import { defineConfig } from '@playwright/test'
import base, { desktop, ownSuites, phone } from '#e2e/playwright.config.ts'

const screensOnPhones = /(filled|studio-sheets)\.spec\.ts/

/**
 * `npm run test:screens`: checks every screen in every language and size. The suite has all tests of this folder, and
 * the tests with the tag `@screens`, which are in other files because they need the set-up of a flow. Those with the
 * tag `@sizes` run here on a desktop.
 */
export default defineConfig({
  ...base,
  testDir: '..',
  outputDir: '../../test-results/screens',
  testIgnore: [],
  globalSetup: '../site/global-setup.ts',
  // Some tests open a screen in every language and size, which takes long on a busy machine.
  timeout: 600_000,
  // The projects share the workers in proportion to their durations.
  workers: 6,
  projects: [
    { name: 'phone', workers: 2, testMatch: 'screens/*.spec.ts', grepInvert: /@desktop/, use: phone },
    {
      name: 'desktop',
      workers: 1,
      testMatch: 'screens/*.spec.ts',
      testIgnore: screensOnPhones,
      grepInvert: /@phone/,
      use: desktop,
    },
    {
      name: 'phone, in flows',
      workers: 2,
      testIgnore: ownSuites,
      grep: /@screens/,
      grepInvert: /@desktop/,
      use: phone,
    },
    {
      name: 'desktop, in flows',
      workers: 1,
      testIgnore: ownSuites,
      grep: /@sizes|(?=.*@screens)(?=.*@desktop)/,
      use: desktop,
    },
  ],
})
