import { readFileSync } from 'node:fs'
import { join } from 'node:path'

function readVersion(): string {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  // The project's own package.json, which has a version.
  return (JSON.parse(manifest) as { version: string }).version
}

/** The version of this release. */
export const siteVersion = readVersion()
