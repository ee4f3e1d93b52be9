// Serves the sites of one browser-test worker, one at a time. Each is a clone of a template. Receives requests as
// messages from the parent process, and exits when the parent exits.
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { runStudioCommand } from '#server/cli/studio-command.ts'
import { createContext } from '#server/context.ts'
import { advanceClock } from '#server/features/billing/gateways/sandbox/sandbox-clock.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { createLog } from '#server/platform/log.ts'
import { findConverter } from '#server/features/media/ingest/convert/find-converter.ts'
import { recordSiteAddress } from '#server/site-address.ts'
import { createSite } from '#server/site.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { runBackgroundWork } from '#server/background-work.ts'
import { sitePort } from '#e2e/support/site-url.ts'
import type { Answer, OpenSite, Request, SiteSettings } from './site-server.ts'
import { startFakeServices } from './fake-services.ts'
import { commonSettings, databaseUrl, templateDatabase, templates, type PreparedSites } from './templates.ts'

const prepared = JSON.parse(process.env['E2E_PREPARED'] ?? '') as PreparedSites
const log = createLog({ json: true, level: 'warn' })
const clockTimeoutMs = 60_000
let number = 0
let open: Awaited<ReturnType<typeof openSite>> | undefined
let closing: Promise<unknown> = Promise.resolve()

process.on('disconnect', () => void endAll())
process.on('message', (request: Request) => {
  answer(request).then(
    (value) => reply({ id: request.id, value }),
    (error: unknown) =>
      reply({ id: request.id, error: String(error instanceof Error ? error.stack : error) }),
  )
})

const reply = (message: Answer) => process.send?.(message)

async function answer({ call, args }: Request): Promise<unknown> {
  if (call === 'open') {
    await open?.stopListening()
    const previous = open
    open = undefined
    // Closes the last site in the background, so that the next one opens without delay.
    closing = Promise.all([closing, previous?.close()])
    open = await openSite(args[0])
    return { dataDir: open.dataDir, databaseUrl: open.databaseUrl } satisfies OpenSite
  }
  if (call === 'end') return endAll()
  if (!open) throw new Error('No site is open.')
  const { context } = open
  if (call === 'studio') return runStudioCommand(context, args)
  const now = await advanceClock(context.config, context.db, args[0])
  await waitUntil(
    'the site has seen that its clock moved',
    async () => context.clock.now() >= now,
    clockTimeoutMs,
  )
  return undefined
}

async function endAll(): Promise<void> {
  await open?.stopListening()
  await Promise.all([closing, open?.close()])
  process.exit(0)
}

async function openSite({ template, withFakeServices, settings }: SiteSettings) {
  const name = `site_${process.pid}_${++number}`
  const dataDir = join(prepared.home, name)
  const url = databaseUrl(prepared.server, name)
  await executeOnServer(`CREATE DATABASE ${name} TEMPLATE ${templateDatabase(template)} STRATEGY FILE_COPY`)
  mkdirSync(dataDir)
  cpSync(join(prepared.home, template), dataDir, { recursive: true })
  const config = loadConfig({
    ...commonSettings,
    ...templates[template].settings,
    ...(withFakeServices ? await startFakeServices() : {}),
    ...settings,
    PATH: process.env['PATH'],
    FFMPEG_PATH: process.env['FFMPEG_PATH'],
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    PORT: String(sitePort),
  })
  const context = { ...(await createContext(config, log)), programs: await findPrograms(config) }
  const site = await createSite(context)
  await site.listen({ port: sitePort, host: config.host })
  await recordSiteAddress(context)
  const stop = new AbortController()
  const backgroundWork = runBackgroundWork(context, { signal: stop.signal, niceness: 0, maxJobSeconds: 1 })
  return {
    context,
    dataDir,
    databaseUrl: url,
    async stopListening() {
      stop.abort()
      const closed = site.close()
      site.server.closeAllConnections()
      await closed
    },
    async close() {
      await backgroundWork
      await context.close()
      await executeOnServer(`DROP DATABASE ${name} WITH (FORCE)`)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

let programs: ReturnType<typeof findConverter> | undefined
const findPrograms = (config: Parameters<typeof findConverter>[0]) => (programs ??= findConverter(config))

async function executeOnServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(prepared.server, 'postgres') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
