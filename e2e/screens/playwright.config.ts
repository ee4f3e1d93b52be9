import { defineConfig } from '@playwright/test'
import { mainFlows } from '#e2e/main-flows.config.ts'
import base, { desktop, phone } from '#e2e/playwright.config.ts'

const screensOnPhones = /(filled|studio-sheets)\.spec\.ts/
/** Matches the tests of the main flows without one of these tags. Playwright matches the file, the name and the tags. */
const mainFlowsWithout = (tags: string) => new RegExp(`${mainFlows.source}(?!.*(${tags}))`)

/**
 * `npm run test:screens`: checks every screen in every language and size, and runs the browser tests that are not in
 * `npm test` or `npm run test:media`: all tests of files outside the main flows, and the tests of the main flows with
 * the tag `@screens`. Tests with the tag `@sizes` run here on a desktop as well.
 */
export default defineConfig({
  ...base,
  testDir: '..',
  outputDir: '../../test-results/screens',
  testIgnore: 'media/**',
  globalSetup: '../site/global-setup.ts',
  // Some tests open a screen in every language and size, which takes long on a busy machine.
  timeout: 600_000,
  // For two cores. Pages draw frames while they wait, so more browsers need more processor time for the same tests:
  // eight needed 40 % more than two, and took longer.
  workers: 3,
  projects: [
    { name: 'phone', workers: 2, grepInvert: [mainFlowsWithout('@screens'), /@desktop/], use: phone },
    {
      name: 'desktop',
      workers: 1,
      grep: [/screens\/[\w-]+\.spec\.ts/, /@sizes/, /@desktop/],
      grepInvert: [mainFlowsWithout('@screens|@sizes'), screensOnPhones, /@phone/],
      use: desktop,
    },
  ],
})
