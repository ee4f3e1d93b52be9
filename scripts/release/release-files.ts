import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Files and folders of the checkout that a release contains. Tests in the folders are left out (`isReleased`). */
export const releaseParts = [
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'contract',
  'demo',
  'deploy/caddy',
  'deploy/edge',
  'deploy/nginx',
  'deploy/observability',
  'deploy/systemd',
  'dist/web',
  'docs',
  'scripts',
  'server',
]

/** The files of scripts/ that a release needs to start. The others build, check and test the site. */
const startScripts = new Set([
  'check-ready.mjs',
  'command-line-of.mjs',
  'env-file.mjs',
  'fill-compile-cache.mjs',
  'node-flags.json',
  'read-arguments.mjs',
  'run-child.mjs',
  'setup-lock.mjs',
  'setup.mjs',
  'start.mjs',
  'supervise.mjs',
  'with-setup.mjs',
])

const testFiles = /\.(test|live)\.(ts|yml)$|^deploy\/.*\/run-[^/]*\.ts$|^server\/testing\/|^docs\/screenshot/

/** Returns true if a file of the checkout is part of a release. */
export function isReleased(path: string): boolean {
  if (path.startsWith('scripts/')) return startScripts.has(path.slice('scripts/'.length))
  return !testFiles.test(path)
}

/** Returns the files of a release as sorted paths relative to `root`. Missing parts are skipped. */
export async function listReleaseFiles(root: string): Promise<string[]> {
  const files = await Promise.all(releaseParts.map((part) => filesOf(root, part)))
  return files.flat().filter(isReleased).toSorted()
}

async function filesOf(root: string, part: string): Promise<string[]> {
  const folder = join(root, part)
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(part, join(entry.parentPath, entry.name).slice(folder.length)))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    if (error.code === 'ENOTDIR') return [part]
    if (error.code === 'ENOENT') return []
    throw error
  }
}
