import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { ShuffleFiles } from './scripts/test-runner/shuffle-files.ts'

const ofServer = 'server/**/*.test.ts'
const ofTheRest = '{contract,web,demo,scripts,bench,deploy}/**/*.test.{ts,tsx}'

/** A mock of a module holds only where nothing has loaded the module before, and what is loaded beside a stub of the browser keeps it. */
const filesWith = (files: string, alone: RegExp): string[] =>
  globSync(files, { cwd: import.meta.dirname }).filter((file) =>
    alone.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
  )
const mocksModules = filesWith(ofServer, /\bvi\.(mock|doMock)\(/)
const changesGlobals = filesWith(
  ofTheRest,
  /\bvi\.(mock|doMock|resetModules|stubGlobal|stubEnv|useFakeTimers)\(|\bglobalThis\.\w+ (\?\?)?= /,
)

const common = {
  setupFiles: ['server/testing/fail-on-noise.ts'],
  pool: 'forks' as const,
  // A busy machine is slow, not wrong.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  // Nothing of a developer's own settings reaches a test.
  env: { NO_COLOR: '1' },
}

export default defineConfig({
  test: {
    globalSetup: ['server/testing/global-setup.ts'],
    // The runner itself would leave one core to whoever watches.
    maxWorkers: 6,
    // No test may depend on another. Vitest prints the seed; `--sequence.seed` repeats an order.
    sequence: { shuffle: { files: true }, sequencer: ShuffleFiles },
    // Files of a worker share what they import, as requests in a process of the site do: it takes half the time.
    projects: [
      {
        test: { ...common, name: 'server', include: [ofServer], exclude: mocksModules, isolate: false },
      },
      {
        plugins: [react()],
        test: { ...common, name: 'rest', include: [ofTheRest], exclude: changesGlobals, isolate: false },
      },
      {
        plugins: [react()],
        test: { ...common, name: 'apart', include: [...changesGlobals, ...mocksModules] },
      },
    ],
  },
})
