import { hash } from 'node:crypto'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Shuffles the test files of each project with the seed of the run. Property tests are first: a long one at the end
 * would run on a single worker while the others are idle. Projects run one after the other, so that their workers are
 * reused.
 */
export class ShuffleFiles extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { projects, config } = this.ctx
    const keyOf = ({ project, moduleId }: TestSpecification): string => {
      const path = moduleId.slice(config.root.length)
      const turn = path.includes('.properties.') ? 0 : 1
      return `${projects.indexOf(project)} ${turn} ${hash('sha1', `${config.sequence.seed} ${path}`)}`
    }
    const keys = new Map(files.map((file) => [file, keyOf(file)]))
    return files.toSorted((a, b) => ((keys.get(a) ?? '') < (keys.get(b) ?? '') ? -1 : 1))
  }
}
