import { mkdtempSync, rmSync, mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContext, type Context, type Overrides } from '#server/context.ts'
import { sendOrderLinks } from '#server/features/billing/consumer-rights/send-order-links.ts'
import { sendResetLinks } from '#server/features/members/credentials/passwords/reset-password.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import type { Database } from '#server/platform/database/database.ts'
import { createLog, type Log } from '#server/platform/log.ts'
import { sendMails } from '#server/platform/mail/send-mails.ts'
import type { Env } from '#server/platform/config/read-env.ts'
import { createSite } from '#server/site.ts'
import type { Tables } from '#server/tables.ts'
import { readMailFolder, type ParsedMail } from '#server/testing/fakes/parse-mail.ts'
import { startRoundRobinProxy } from './round-robin-proxy.ts'
import { runSecondSite } from './run-second-site.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { unlimitedQuotas } from './unlimited.ts'
import { visitorFactory, type Visitor } from './visitor.ts'

/** A complete site with its own database. It listens on a free port. */
export interface TestSite {
  context: Context
  url: string
  /** URL of the site without the proxy in front of it, for requests that a proxy would not forward. */
  directUrl: string
  /** Creates a visitor with its own cookies. */
  visitor(headers?: Record<string, string>): Visitor
  /** Sends queued mails as the worker does. @returns all mails to an address so far, latest last */
  mails(to: string): Promise<ParsedMail[]>
  close(): Promise<void>
}

/** A process of a site, or a second site in this process that simulates another process. */
interface RunningSite {
  url: string
  close(): Promise<void>
}

/** Settings of all test sites. Rate limits are off, because tests are faster than users; a test of a limit sets it. */
const defaultSettings = {
  PUBLIC_URL: 'http://localhost:3000',
  LOG_LEVEL: 'silent',
  RATE_LIMIT_API_PER_USER: '100000/min',
  RATE_LIMIT_API_PER_IP: '100000/min',
  ...unlimitedQuotas,
}

/**
 * Starts a site for a test file. The web is an empty document, because these tests use the HTTP API.
 * With SITE_PROCESSES=2 in the environment (`npm run test:two`), a second process with the same database handles every
 * other request. Overrides of the context cannot be shared with another process: with them, the second site runs in
 * this process, with its own context.
 */
export async function startTestSite(overrides: Overrides = {}, settings: Env = {}): Promise<TestSite> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-site-'))
  const database = overrides.database ?? (await createTestDatabase())
  const webRoot = overrides.webRoot ?? createEmptyWebRoot(dataDir)
  const env = { ...defaultSettings, DATA_DIR: dataDir, ...settings }
  const options = { ...overrides, database, webRoot }
  const log = createLog({ json: true, level: env.LOG_LEVEL ?? 'silent' })
  const first = await startSite(env, log, options)
  const isSingleProcess = process.env['SITE_PROCESSES'] !== '2'
  const second = isSingleProcess ? undefined : await startSecond(env, log, options, Object.keys(overrides))
  const proxy = second ? await startRoundRobinProxy([first.url, second.url]) : undefined
  const url = proxy?.url ?? first.url
  return {
    context: first.context,
    url,
    directUrl: first.url,
    visitor: visitorFactory(url),
    async mails(to) {
      await sendResetLinks(first.context)
      await sendOrderLinks(first.context)
      await sendMails(first.context)
      return readMailFolder(join(dataDir, 'mails')).filter((mail) => mail.to === to)
    },
    async close() {
      await proxy?.close()
      await second?.close()
      await first.close()
      await first.context.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function startSite(
  env: Env,
  log: Log,
  overrides: Overrides,
): Promise<RunningSite & { context: Context }> {
  const config = loadConfig(env)
  const listening: { at?: string } = {}
  const context = await createContext(config, log, { localUrl: () => listening.at, ...overrides })
  const site = await createSite(context)
  await site.listen({ port: 0, host: '127.0.0.1' })
  // The cast is safe: a listening TCP server has an AddressInfo.
  const url = (listening.at = `http://127.0.0.1:${(site.server.address() as AddressInfo).port}`)
  return {
    context,
    url,
    async close() {
      const closed = site.close()
      // Otherwise `close` would wait for connections that a client has opened but never used.
      site.server.closeAllConnections()
      await closed
    },
  }
}

function startSecond(
  env: Env,
  log: Log,
  options: Overrides & { webRoot: string; database: Database<Tables> | TestDatabase },
  overridden: readonly string[],
): Promise<RunningSite> {
  const { database, webRoot } = options
  const runsAsProcess = overridden.every((name) => name === 'database') && 'url' in database
  return runsAsProcess
    ? runSecondSite({ env, databaseUrl: database.url, webRoot })
    : startSite(env, log, options)
}

/** Creates a folder with empty documents instead of the built web. */
export function createEmptyWebRoot(dataDir: string): string {
  const root = join(dataDir, 'web')
  mkdirSync(root)
  for (const name of ['index.html', 'order.html', 'studio.html'])
    writeFileSync(
      join(root, name),
      '<!doctype html><html lang="en"><meta name="theme-color" content="#120e0c"><!--head--><!--preloads--><!--boot--></html>',
    )
  writeFileSync(
    join(root, 'favicon.svg'),
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>',
  )
  writeFileSync(join(root, 'sw.js'), "const release = '__RELEASE__'\n")
  writeFileSync(join(root, 'preloads.json'), '{}')
  for (const script of ['play-first.js', 'reload-on-failure.js']) writeFileSync(join(root, script), '')
  return root
}
