import { basename } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { groups } from './mutation-groups.ts'

const name = process.env['MUTATION_GROUP']
const include = [...(groups.find((group) => group.name === name)?.tests ?? [])]

/**
 * Runs the test files in the order of the group, fastest first, because the run of a mutant ends at the first failure.
 */
class FastestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) =>
      include.findIndex((file) => moduleId.endsWith(`/${basename(file)}`))
    return files.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

/**
 * Runs the tests of one group, with a new process for each mutant, so that code which runs at import is mutated too.
 */
export default defineConfig({
  test: {
    include,
    globalSetup: ['server/testing/global-setup.ts'],
    setupFiles: ['server/testing/fail-on-noise.ts'],
    isolate: false,
    sequence: { sequencer: FastestFirst },
    testTimeout: 20_000,
    hookTimeout: 180_000,
    env: { NO_COLOR: '1' },
  },
})
