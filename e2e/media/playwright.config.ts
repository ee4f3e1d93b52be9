import { defineConfig } from '@playwright/test'
import base, { desktop } from '#e2e/playwright.config.ts'

/**
 * `npm run test:media`: imports a video of every kind that was once converted wrongly, in both ways, and plays it to
 * the end.
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
