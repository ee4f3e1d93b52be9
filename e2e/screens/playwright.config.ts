import { defineConfig } from '@playwright/test'
import base, { phone, desktop } from '#e2e/playwright.config.ts'

const onPhones = /(filled|studio-sheets)\.spec\.ts/

/** `npm run test:screens`: every screen in every language and size. The ordinary browser tests visit each screen once. */
export default defineConfig({
  ...base,
  testDir: '.',
  outputDir: '../../test-results/screens',
  testIgnore: [],
  globalSetup: '../site/global-setup.ts',
  projects: [
    { name: 'phone', grepInvert: /@desktop/, use: phone },
    { name: 'desktop', testIgnore: onPhones, grepInvert: /@phone/, use: desktop },
  ],
})
