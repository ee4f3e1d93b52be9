// Runs a second process of a tested site, configured by environment variables. Prints its URL, and exits when its input
// closes.
import type { AddressInfo } from 'node:net'
import { createContext } from '#server/context.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { createLog } from '#server/platform/log.ts'
import { createSite } from '#server/site.ts'
import { openTestPool } from '#server/testing/database/test-pool.ts'

const [databaseUrl = '', webRoot = ''] = process.argv.slice(2)
const config = loadConfig(process.env)
const listening: { at?: string } = {}
const context = await createContext(config, createLog({ json: true, level: config.logLevel }), {
  database: openTestPool(databaseUrl),
  webRoot,
  localUrl: () => listening.at,
})
const site = await createSite(context)
await site.listen({ port: 0, host: '127.0.0.1' })
listening.at = `http://127.0.0.1:${(site.server.address() as AddressInfo).port}`
process.stdin.on('end', () => process.exit(0)).resume()
process.stdout.write(`${listening.at}\n`)
