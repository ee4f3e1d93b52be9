import { defineConfig } from '@playwright/test'
import { mainFlows } from '#e2e/main-flows.config.ts'
import base, { desktop, ownSuites, phone } from '#e2e/playwright.config.ts'

const screensOnPhones = /(filled|studio-sheets)\.spec\.ts/

/**
 * `npm run test:screens`: checks every screen in every language and size, and runs the browser tests that are not in
 * `npm test` or `npm run test:media`: all tests of files outside the main flows, and the tests of the main flows with
 * the tag `@screens`. Tests with the tag `@sizes` run here on a desktop as well.
 */
export default defineConfig({
  ...base,
  testDir: '..',
  outputDir: '../../test-results/screens',
  testIgnore: [],
  globalSetup: '../site/global-setup.ts',
  // Some tests open a screen in every language and size, which takes long on a busy machine.
  timeout: 600_000,
  // Each project has a number of workers in proportion to its duration. At most six run at the same time.
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
      name: 'phone, main flows',
      workers: 1,
      testMatch: mainFlows,
      grep: /@screens/,
      grepInvert: /@desktop/,
      use: phone,
    },
    {
      name: 'desktop, main flows',
      workers: 1,
      testMatch: mainFlows,
      grep: /@sizes|(?=.*@screens)(?=.*@desktop)/,
      use: desktop,
    },
    {
      name: 'phone, other flows',
      workers: 2,
      testIgnore: [...ownSuites, ...mainFlows],
      grepInvert: /@desktop/,
      use: phone,
    },
    {
      name: 'desktop, other flows',
      workers: 1,
      testIgnore: [...ownSuites, ...mainFlows],
      grep: /@sizes|@desktop/,
      use: desktop,
    },
  ],
})
