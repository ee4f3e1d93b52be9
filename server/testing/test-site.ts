import { mkdtempSync, rmSync, mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContext, type Context, type Overrides } from '#server/context.ts'
import { loadConfig } from '#server/platform/config.ts'
import { createLog } from '#server/platform/log.ts'
import { createSite } from '#server/site.ts'
import { testDatabase } from './template-database.ts'
import { Visitor } from './visitor.ts'

/** A whole site on a database of its own, listening on a free port. */
export interface TestSite {
  context: Context
  url: string
  /** Somebody with cookies of their own. */
  visitor(headers?: Record<string, string>): Visitor
  close(): Promise<void>
}

/** Starts a site for a test file; the web is an empty document, since these tests look at the HTTP face. */
export async function testSite(overrides: Overrides = {}): Promise<TestSite> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-site-'))
  const database = overrides.database ?? (await testDatabase())
  const config = loadConfig({ DATA_DIR: dataDir, PUBLIC_URL: 'http://localhost:3000', LOG_LEVEL: 'silent' })
  const webRoot = overrides.webRoot ?? emptyWeb(dataDir)
  const log = createLog({ json: true, level: config.logLevel })
  const listening: { at?: string } = {}
  const context = await createContext(config, log, {
    ownAddress: () => listening.at,
    ...overrides,
    database,
    webRoot,
  })
  const site = await createSite(context)
  await site.listen({ port: 0, host: '127.0.0.1' })
  // A server that listens on a port has an address with one.
  const url = (listening.at = `http://127.0.0.1:${(site.server.address() as AddressInfo).port}`)
  return {
    context,
    url,
    visitor: (headers) => new Visitor(url, headers),
    async close() {
      const closed = site.close()
      // A connection that a client opened ahead and never used would be waited for.
      site.server.closeAllConnections()
      await closed
      await context.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function emptyWeb(dataDir: string): string {
  const root = join(dataDir, 'web')
  mkdirSync(root)
  for (const name of ['index.html', 'order.html'])
    writeFileSync(join(root, name), '<!doctype html><!--preloads--><!--boot-->')
  writeFileSync(join(root, 'preloads.json'), '{}')
  return root
}
