import { readFileSync } from 'node:fs'
import { join } from 'node:path'

function readVersion(): string {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  // Our own file, which has a version.
  return (JSON.parse(manifest) as { version: string }).version
}

/** The version of this release. */
export const siteVersion = readVersion()
