import { defineConfig } from '@playwright/test'
import base from './playwright.config.ts'

/** Browser tests of each way to pay, of playback, of a member's account, and of uploads. */
export const mainFlows =
  /(billing\/(balance|express|one-tap|paypal|paywall|purchase|stripe|top-up)|playback\/(native-player|playback-failures)|pages\/account|studio\/content)\.spec\.ts/

/**
 * Browser tests of `npm test`. `npm run test:screens` runs the tests of all other files, and those of these files with
 * the tag `@screens`.
 */
export default defineConfig({ ...base, testMatch: mainFlows })
