// Prepares the templates of the browser tests' sites: a PostgreSQL server with one database per template, and the
// templates' media files. Sends `PreparedSites` to its parent process. The server runs until the parent disconnects.
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Role } from '#contract/studio/roles.ts'
import { createContext } from '#server/context.ts'
import { importFolder } from '#server/features/media/ingest/import/import-folder.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { startEmbeddedDatabase } from '#server/platform/database/embedded/embedded-database.ts'
import { createLog } from '#server/platform/log.ts'
import { findConverter } from '#server/features/media/ingest/convert/find-converter.ts'
import { createSite } from '#server/site.ts'
import { signInOperator } from '#server/testing/builders/operator.ts'
import { visitorFactory } from '#server/testing/site/visitor.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { runBackgroundWork } from '#server/background-work.ts'
import { makeContent } from '#e2e/support/make-content.ts'
import {
  commonSettings,
  databaseUrl,
  templateDatabase,
  templates,
  type PreparedSites,
  type PreparedOperator,
  type Template,
} from './templates.ts'

const importWithinMs = 120_000
const roles: readonly Role[] = ['owner', 'editor', 'analyst', 'support']

const log = createLog({ json: true, level: 'warn' })
const home = mkdtempSync(join(tmpdir(), 'cliffhanger-e2e-'))
const embedded = await startEmbeddedDatabase({ dataDir: join(home, 'server'), log, durable: false })
const { host, user, database } = embedded.connection
const server: PreparedSites['server'] = { host, user }

process.on('disconnect', () => void stop())

async function stop(): Promise<void> {
  await embedded.stop()
  rmSync(home, { recursive: true, force: true })
  process.exit(0)
}

const admin = new pg.Client({ connectionString: databaseUrl(server, database) })
await admin.connect()
for (const name of templateNames()) await admin.query(`CREATE DATABASE ${templateDatabase(name)}`)
await admin.end()
const filledTemplates = await Promise.all(
  templateNames().map(async (name) => [name, await fillTemplate(name)] as const),
)
// The cast is safe: `filledTemplates` contains every template.
const operators = Object.fromEntries(filledTemplates) as PreparedSites['operators']
process.send?.({ server, home, operators } satisfies PreparedSites)

function templateNames(): Template[] {
  return Object.keys(templates) as Template[]
}

/** Fills the database and data directory of a template with the ordinary import. @returns the template's operators */
async function fillTemplate(name: Template): Promise<Record<Role, PreparedOperator>> {
  const { dramas, settings } = templates[name]
  const config = loadConfig({
    ...commonSettings,
    ...settings,
    PATH: process.env['PATH'],
    FFMPEG_PATH: process.env['FFMPEG_PATH'],
    DATABASE_URL: databaseUrl(server, templateDatabase(name)),
    MIGRATE: 'auto',
    DATA_DIR: join(home, name),
  })
  const context = { ...(await createContext(config, log)), programs: await findConverter(config) }
  const sources = join(home, 'dramas', name)
  await makeContent(sources, context.programs.ffmpegPath, dramas)
  const site = await createSite(context)
  await site.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(site.server.address() as AddressInfo).port}`
  const stop = new AbortController()
  const backgroundWork = runBackgroundWork(context, { signal: stop.signal, niceness: 0 })
  const { refused } = await importFolder(context, sources, {
    signal: stop.signal,
    niceness: 0,
    onProgress() {},
  })
  if (refused.length > 0) throw new Error(`The import refused ${JSON.stringify(refused)}`)
  const isListed = async () => {
    const home = await (await fetch(`${url}/api/homepage`)).text()
    return dramas.every(({ title }) => home.includes(title))
  }
  await waitUntil(`the home page of ${name} lists its dramas`, isListed, importWithinMs)
  const visitor = visitorFactory(url)
  const entries = []
  for (const role of roles) entries.push([role, await addOperator(role)] as const)
  stop.abort()
  await backgroundWork
  site.server.closeAllConnections()
  await site.close()
  await context.close()
  return Object.fromEntries(entries) as Record<Role, PreparedOperator>

  async function addOperator(role: Role): Promise<PreparedOperator> {
    const { email, secret, studio } = await signInOperator({ context, visitor }, role)
    return { email, secret, cookie: /operator=([^;]+)/.exec(studio.cookie)?.[1] ?? '' }
  }
}
