// A Vitest reporter that prints how many tests are done, and the estimated remaining time.
import { relative } from 'node:path'
import { root } from '#scripts/setup.mjs'
import { TestProgress } from './test-progress.mjs'

const nameOf = ({ moduleId }) => relative(root, moduleId)

export default class ProgressReporter {
  onTestRunStart(specifications) {
    this.progress = new TestProgress('unit', new Map(specifications.map((file) => [nameOf(file), undefined])))
  }

  onTestModuleCollected(module) {
    this.progress.begin(nameOf(module), [...module.children.allTests()].length)
  }

  onTestCaseResult({ module }) {
    this.progress.done(nameOf(module))
  }

  onTestRunEnd() {
    this.progress.end()
  }
}
