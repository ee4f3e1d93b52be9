import { defineConfig } from '@playwright/test'
import base, { desktop } from '#e2e/playwright.config.ts'

/**
 * `npm run test:media`: imports videos with the command line and in the studio, and plays them to the end. The site
 * once converted each kind of these videos wrongly.
 */
export default defineConfig({
  ...base,
  testDir: '.',
  testIgnore: [],
  outputDir: '../../test-results/media',
  globalSetup: '../site/global-setup.ts',
  timeout: 600_000,
  projects: [{ name: 'desktop', use: desktop }],
})
