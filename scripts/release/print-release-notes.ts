// node scripts/release/print-release-notes.ts VERSION: prints the version's section of CHANGELOG.md, for the release
// workflow. Exits with status 1 if the section is missing.
import { readFileSync } from 'node:fs'
import { releaseNotes } from './release-notes.ts'

const [version = ''] = process.argv.slice(2)
try {
  process.stdout.write(releaseNotes(readFileSync('CHANGELOG.md', 'utf8'), version))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
