import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Configures the tests with third-party servers and browsers: `npm run test:deploy`. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '..'),
    include: ['deploy/**/*.live.ts'],
    globalSetup: ['server/testing/global-setup.ts'],
    setupFiles: ['server/testing/fail-on-noise.ts'],
    pool: 'forks',
    testTimeout: 180_000,
    hookTimeout: 300_000,
    env: { NO_COLOR: '1' },
  },
})
