import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const units = ['cliffhanger-web.service', 'cliffhanger-worker.service']
const read = (unit: string) => readFileSync(join(import.meta.dirname, unit), 'utf8')
/**
 * Maximum exposure level of a unit, in tenths, as `systemd-analyze security` measures it; 100 means no protection. A
 * service that only accesses its own folder can be below 20.
 */
const maxExposure = 20

/** Installs the units into a separate root, with the program that they start. @returns the root */
function installed(): string {
  const root = mkdtempSync(join(tmpdir(), 'cliffhanger-units-'))
  for (const path of ['etc/systemd/system', 'opt/cliffhanger/bin'])
    mkdirSync(join(root, path), { recursive: true })
  for (const unit of units) writeFileSync(join(root, 'etc/systemd/system', unit), read(unit))
  writeFileSync(join(root, 'opt/cliffhanger/bin/node'), '#!/bin/sh\n', { mode: 0o755 })
  return root
}

it.each(units)('systemd-analyze reports no error in %s', (unit) => {
  const root = installed()
  const local = read(unit).replaceAll('/opt/cliffhanger', join(root, 'opt/cliffhanger'))
  const file = join(root, unit)
  writeFileSync(file, local)
  const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
  expect(stderr.split('\n').filter((line) => line.includes(unit))).toEqual([])
  rmSync(root, { recursive: true })
})

it.each(units)('the exposure level of %s is at most the maximum', (unit) => {
  const root = installed()
  const args = [
    'security',
    '--offline=true',
    `--root=${root}`,
    `--threshold=${maxExposure}`,
    '--no-pager',
    unit,
  ]
  expect(() => execFileSync('systemd-analyze', args, { encoding: 'utf8' })).not.toThrow()
  rmSync(root, { recursive: true })
})

it('the units differ only in their role', () => {
  const [web = '', worker = ''] = units.map((unit) => read(unit).replace(/^Description=.*/m, ''))
  expect(web.replace('ROLE=web', 'ROLE=worker')).toBe(worker)
})
