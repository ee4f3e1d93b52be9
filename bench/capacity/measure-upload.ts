import { readdirSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { lineOf, type Bench } from './cost-table.ts'
import { makeBenchContent } from '#bench/site/make-bench-content.ts'
import { importFolder } from '#bench/site/start-bench-site.ts'

/** Episodes of a minute in the largest size, which the site converts to four renditions. */
const content = { episodes: 3, seconds: 60, size: '1080x1920' }
const minutes = (content.episodes * content.seconds) / 60

/**
 * Measures the import of a film. Prints the bytes that the site stored, and the bit rate of each rendition.
 * @returns a line of the table, per minute of film
 */
export async function measureUpload({ site, measured, settle }: Bench): Promise<string[][]> {
  const folder = join(site.home, 'upload')
  makeBenchContent(folder, 'the-upload', site.ffmpeg.ffmpegPath, content)
  await settle()
  const before = readStoredBytes(site.dataDir)
  // The import is a child process of this process, so the CPU time of this process includes the CPU time of the import.
  const costs = await measured(() => importFolder(folder, site.env), process.pid)
  const added = [...readStoredBytes(site.dataDir)].map(([kind, bytes]) => {
    const perMinute = (bytes - (before.get(kind) ?? 0)) / minutes
    return `${kind} ${(perMinute / 1e6).toFixed(1)} MB (${((perMinute * 8) / 60e6).toFixed(2)} Mbit/s)`
  })
  console.log(`Stored per minute of film: ${added.join(', ')}`)
  return [lineOf(`film of ${content.size} uploaded, per minute of film`, costs, minutes)]
}

/** Returns the bytes in the folders of the storage, and in each rendition. */
function readStoredBytes(dataDir: string): Map<string, number> {
  const storage = join(dataDir, 'storage')
  const bytes = new Map<string, number>()
  for (const entry of readdirSync(storage, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const [kind = '', , rendition] = relative(storage, entry.parentPath).split(sep)
    const key = rendition ?? kind
    bytes.set(key, (bytes.get(key) ?? 0) + statSync(join(entry.parentPath, entry.name)).size)
  }
  return bytes
}
