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
    // Long, so that tests do not fail only because the machine is busy.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    env: { NO_COLOR: '1' },
  },
})
