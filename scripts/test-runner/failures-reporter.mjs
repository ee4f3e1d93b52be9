// A Vitest reporter that counts passed tests and lists failures and flaky tests for run-tests.mjs. Errors outside tests
// are included.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { firstLine } from './run-tests.mjs'
import { root } from '#scripts/setup.mjs'

export default class FailuresReporter {
  onTestRunEnd(modules, unhandledErrors) {
    let passed = 0
    const flaky = []
    const failures = unhandledErrors.map((error) => nameFailure('outside of every test', [error]))
    for (const module of modules) {
      const path = relative(root, module.moduleId)
      for (const suite of [module, ...module.children.allSuites()])
        if (suite.errors().length > 0) failures.push(nameFailure(path, suite.errors()))
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        if (state === 'passed') passed++
        if (test.diagnostic()?.flaky) flaky.push(nameFailure(`${path} > ${test.fullName}`, errors ?? []))
        if (state === 'failed') failures.push(nameFailure(`${path} > ${test.fullName}`, errors))
      }
    }
    writeFileSync(process.env['FAILURES_FILE'], JSON.stringify({ passed, failures, flaky }))
  }
}

function nameFailure(where, [error]) {
  return `${where}: ${firstLine(error?.message ?? error)}`
}
