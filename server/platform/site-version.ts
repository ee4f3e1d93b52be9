import { readFileSync } from 'node:fs'
import { join } from 'node:path'

function readVersion(): string {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  // The cast is safe: the project's package.json has a version.
  return (JSON.parse(manifest) as { version: string }).version
}

/** The version of this release. */
export const siteVersion = readVersion()
