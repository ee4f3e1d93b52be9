// A Playwright reporter that prints how many tests are done, and the estimated remaining time.
import { basename, relative } from 'node:path'
import { root } from '#scripts/setup.mjs'
import { TestProgress } from './test-progress.mjs'

const nameOf = (test) => `${relative(root, test.location.file)} (${test.parent.project()?.name})`

export default class PlaywrightProgress {
  onBegin({ configFile }, suite) {
    const files = new Map()
    for (const test of suite.allTests()) files.set(nameOf(test), (files.get(nameOf(test)) ?? 0) + 1)
    this.files = files
    this.begun = new Set()
    const suiteName = basename(relative(root, configFile).replace(/(\/playwright)?\.config\.ts$/, ''))
    this.progress = new TestProgress(suiteName, files)
  }

  onTestBegin(test) {
    const name = nameOf(test)
    if (this.begun.has(name)) return
    this.begun.add(name)
    this.progress.begin(name, this.files.get(name))
  }

  onTestEnd(test, { status, retry }) {
    // A failed attempt that is repeated is not the test's end.
    if (status !== test.expectedStatus && retry < test.retries) return
    this.progress.done(nameOf(test))
  }

  onEnd() {
    this.progress.end()
  }
}
