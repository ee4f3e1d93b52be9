import { defineConfig } from '@playwright/test'
import base from './playwright.config.ts'

/** Browser tests of playback and payments, of a member's account, and of uploads. */
export const mainFlows = [
  'billing/*.spec.ts',
  'playback/*.spec.ts',
  'pages/account.spec.ts',
  'studio/content.spec.ts',
]

/**
 * Browser tests of `npm test`. Those with the tag `@screens` run in `npm run test:screens`, with the tests of all other
 * pages and of the studio.
 */
export default defineConfig({ ...base, testMatch: mainFlows })
