import { basename } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { groups } from './mutation-groups.ts'

const name = process.env['MUTATION_GROUP']
const include = [...(groups.find((group) => group.name === name)?.tests ?? [])]

/** Runs fast tests first, because the first failure ends a mutant. */
class FastestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) =>
      include.findIndex((file) => moduleId.endsWith(`/${basename(file)}`))
    return files.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

/** The tests of one group, in one process per mutant, so that code that runs at import is mutated too. */
export default defineConfig({
  test: {
    include,
    globalSetup: ['server/testing/global-setup.ts'],
    setupFiles: ['server/testing/fail-on-noise.ts'],
    isolate: false,
    sequence: { sequencer: FastestFirst },
    testTimeout: 20_000,
    hookTimeout: 30_000,
    env: { NO_COLOR: '1' },
  },
})
