import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { ShuffleFiles } from './scripts/shuffle-files.ts'

/** A mock of a module holds only where nothing has loaded the module before. */
const mocksModules = [
  'server/features/members/hashing-queue.test.ts',
  'server/features/members/same-work.test.ts',
]

const common = {
  setupFiles: ['server/testing/fail-on-noise.ts'],
  pool: 'forks' as const,
  // A busy machine is slow, not wrong.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
  // Nothing of a developer's own settings reaches a test.
  env: { NO_COLOR: '1' },
}

export default defineConfig({
  test: {
    globalSetup: ['server/testing/global-setup.ts'],
    // The runner itself would leave one core to whoever watches.
    maxWorkers: 4,
    // No test may depend on another. Vitest prints the seed; `--sequence.seed` repeats an order.
    sequence: { shuffle: { files: true }, sequencer: ShuffleFiles },
    projects: [
      {
        // Files of a worker share what they import, as requests in a process of the site do: it takes half the time.
        test: {
          ...common,
          name: 'server',
          include: ['server/**/*.test.ts'],
          exclude: mocksModules,
          isolate: false,
        },
      },
      {
        plugins: [react()],
        test: {
          ...common,
          name: 'apart',
          include: ['{contract,web,demo,scripts,bench,deploy}/**/*.test.{ts,tsx}', ...mocksModules],
        },
      },
    ],
  },
})
