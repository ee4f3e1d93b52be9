import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/**
 * The npm scripts that run a file of this repository, each with this file. Scripts that start with `with-setup` run the
 * file after it.
 */
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
const files = Object.entries(scripts).flatMap(([name, line]): [string, string][] => {
  const file = line.split(' ').findLast((word) => /\.(mjs|ts)$/.test(word) && !word.includes('with-setup'))
  return file === undefined || file === 'server/cli.ts' ? [] : [[name, file]]
})

function run(file: string, argument: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, argument], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

it('finds the scripts', () => {
  expect(files.map(([name]) => name)).toEqual(
    expect.arrayContaining(['start', 'test', 'check', 'build', 'bench']),
  )
})

it.each(files)('npm run %s prints its help with status 0', (_name, file) => {
  const { status, stdout } = run(file, '--help')
  expect(stdout).toMatch(/^Usage: npm /)
  expect(status).toBe(0)
})

it.each(files)('npm run %s rejects an unknown option with status 2', (_name, file) => {
  const { status, stdout, stderr } = run(file, '--no-such-option')
  expect(stderr).toContain('no-such-option')
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
})
