import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { ShuffleFiles } from './scripts/test-runner/shuffle-files.ts'
import nodeFlags from './scripts/test-runner/test-node-flags.json' with { type: 'json' }

const ofServer = 'server/**/*.test.ts'
const ofTheRest = '{contract,web,demo,scripts,bench,deploy}/**/*.test.{ts,tsx}'
/** Long tests in projects of their own, which `npm test` leaves out. The commands of their suites run them. */
const ofSuites = {
  films: '**/*.films.test.ts',
  processes: '**/{*.processes,crash,*-crash,*-outage,*-faults}.test.ts',
  properties: '**/*.properties.test.ts',
}
const suites = Object.values(ofSuites)
/** Skips the tests in packages that a benchmark installs (bench/lighthouse). */
const installed = '**/node_modules/**'

/**
 * Returns the files that need a separate process. A module mock works only if the module was not loaded before, and a
 * module that is loaded while a global is stubbed keeps the stub.
 */
const filesWith = (files: string, alone: RegExp): string[] =>
  globSync(files, { cwd: import.meta.dirname, exclude: [installed, ...suites] }).filter((file) =>
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
  execArgv: nodeFlags,
  // Long, so that tests do not fail only because the machine is busy.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  // Overrides a developer's own setting.
  env: { NO_COLOR: '1' },
}

/** `npm run test:pooler` runs the tests through PgBouncer, and with a replica (TEST_REPLICA). */
const pooler = process.env['TEST_POOLER'] === '1' ? ['deploy/pgbouncer/pooler-global-setup.ts'] : []

export default defineConfig({
  test: {
    globalSetup: ['server/testing/global-setup.ts', ...pooler],
    // One more than the cores, because tests also wait. Each worker compiles the server's modules for itself, so more
    // workers need more processor time for the same tests: six on two cores needed a tenth more than three.
    maxWorkers: availableParallelism() + 1,
    // No test may depend on another. Vitest prints the seed; `--sequence.seed` repeats an order.
    sequence: { shuffle: { files: true }, sequencer: ShuffleFiles },
    // The test files of a worker share imported modules (`isolate: false`), which halves the duration.
    projects: [
      {
        test: {
          ...common,
          name: 'server',
          include: [ofServer],
          exclude: [...mocksModules, ...suites, installed],
          isolate: false,
        },
      },
      ...Object.entries(ofSuites).map(([name, include]) => ({
        test: { ...common, name, include: [include], exclude: [installed], isolate: false },
      })),
      {
        plugins: [react()],
        test: {
          ...common,
          name: 'rest',
          include: [ofTheRest],
          exclude: [...changesGlobals, ...suites, installed],
          isolate: false,
        },
      },
      {
        plugins: [react()],
        test: { ...common, name: 'apart', include: [...changesGlobals, ...mocksModules] },
      },
    ],
  },
})
