// A process that runs a site, and that a test may kill. It prints the site's URL.
import { openTestPool } from '#server/testing/database/test-pool.ts'
import { startTestSite } from './test-site.ts'

const [databaseUrl = ''] = process.argv.slice(2)
const site = await startTestSite({ database: openTestPool(databaseUrl) })
process.on('SIGTERM', () => void site.close().then(() => process.exit(0)))
process.stdin.on('end', () => process.exit(0)).resume()
process.stdout.write(`${site.url}\n`)
