import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

interface Step {
  name?: string
  uses?: string
  run?: string
  with?: Record<string, unknown>
}

interface Workflow {
  on: Record<string, unknown>
  permissions: Record<string, string>
  jobs: Record<string, Job>
}

interface Job {
  permissions?: Record<string, string>
  'timeout-minutes'?: number
  strategy?: { matrix: { suite: string[] } }
  steps: Step[]
}

const root = join(import.meta.dirname, '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const folder = '.github/workflows'
const workflows = readdirSync(join(root, folder)).map((name) => {
  const workflow: Workflow = parse(read(join(folder, name)))
  return { name, workflow }
})
const workflowNamed = (name: string) => {
  const found = workflows.find((each) => each.name === name)
  if (!found) throw new Error(`There is no workflow ${name}`)
  return found.workflow
}
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps)
const commandsOf = (workflow: Workflow) => stepsOf(workflow).flatMap(({ run = '' }) => run.split('\n'))

test('the README has a badge of each workflow', () => {
  const badges = [...read('README.md').matchAll(/actions\/workflows\/([\w-]+\.yml)\/badge\.svg/g)]
  expect(badges.map(([, name]) => name).toSorted()).toEqual(workflows.map(({ name }) => name).toSorted())
})

test('pull requests are checked and tested', () => {
  const checks = workflowNamed('checks.yml')
  expect(checks.on).toHaveProperty('pull_request')
  expect(commandsOf(checks)).toEqual(expect.arrayContaining(['npm run check -- --no-tests', 'npm test']))
  const deployTests = workflowNamed('deploy-tests.yml')
  expect(deployTests.on).toHaveProperty('pull_request')
  expect(commandsOf(deployTests)).toContain('npm run test:deploy -- --install')
  // .ci/run names each suite before the file of its output: `npm run test:screens | tee …`.
  const suites = [...read('.ci/run').matchAll(/npm run test:(\w+) \|/g)].map(([, suite = '']) => suite)
  expect(suites).toContain('screens')
  expect(checks.jobs['suites']?.strategy?.matrix.suite.toSorted()).toEqual(suites.toSorted())
})

test('a version tag publishes archive and image, each with an SBOM and its provenance', () => {
  const release = workflowNamed('release.yml')
  expect(release.on).toEqual({ push: { tags: ['v*'] } })
  const steps = stepsOf(release)
  const stepThatUses = (action: string) => steps.find(({ uses = '' }) => uses.startsWith(`${action}@`))
  expect(stepThatUses('actions/attest-build-provenance')?.with).toEqual({ 'subject-path': 'dist/*.tar.gz' })
  expect(stepThatUses('docker/build-push-action')?.with).toMatchObject({
    push: true,
    sbom: true,
    provenance: 'mode=max',
  })
  const commands = commandsOf(release).join('\n')
  expect(commands).toMatch(
    /npm sbom --prefix cliffhanger --omit=dev --sbom-format=cyclonedx > dist\/sbom\.cdx\.json/,
  )
  expect(commands).toMatch(/gh release create .*dist\/\*\.tar\.gz dist\/sbom\.cdx\.json/)
  // Attestations are signed with the identity of the workflow.
  expect(release.jobs['release']?.permissions).toMatchObject({
    'id-token': 'write',
    attestations: 'write',
    packages: 'write',
  })
})

test.each(workflows)(
  '$name has only read permission by default, and a time limit for each job',
  ({ workflow }) => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0)
  },
)

test('packages, images and actions are updated automatically', () => {
  const { updates }: { updates: { 'package-ecosystem': string }[] } = parse(read('.github/dependabot.yml'))
  expect(updates.map((update) => update['package-ecosystem'])).toEqual(['npm', 'docker', 'github-actions'])
})
