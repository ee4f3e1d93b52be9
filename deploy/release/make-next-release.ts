import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A migration for a simulated next release. It adds columns to the tables that every purchase reads and writes. */
const migration = `-- This release runs without it.
ALTER TABLE users ADD COLUMN of_next_release text;
ALTER TABLE orders ADD COLUMN of_next_release text;
ALTER TABLE entitlements ADD COLUMN of_next_release text;
`

/** Copies an unpacked release to the folder `next` as the next minor version, with one more migration. */
export function makeNextRelease(folder: string, next: string): void {
  cpSync(folder, next, { recursive: true, verbatimSymlinks: true })
  const path = join(next, 'package.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { version: string }
  const [major, minor] = manifest.version.split('.')
  const version = `${major}.${Number(minor) + 1}.0`
  rmSync(path)
  writeFileSync(path, `${JSON.stringify({ ...manifest, version }, null, 2)}\n`)
  writeFileSync(join(next, 'server/platform/database/migrations/9999_next_release.sql'), migration)
}
