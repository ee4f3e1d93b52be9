import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [react()],
  test: {
    include: ['{contract,server,web,demo,scripts,bench}/**/*.test.{ts,tsx}'],
    globalSetup: ['server/testing/global-setup.ts'],
    setupFiles: ['server/testing/fail-on-noise.ts'],
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Nothing of a developer's own settings reaches a test.
    env: { NO_COLOR: '1' },
  },
})
