import { join } from 'node:path'
import { createSiteClock } from '#server/features/billing/gateways/sandbox/sandbox-clock.ts'
import { getOrCreateSetting } from '#server/features/catalog/catalog.ts'
import { createMailComposer } from '#server/i18n/compose-mail.ts'
import { translate } from '#server/i18n/translate.ts'
import { systemClock, type Clock } from '#server/platform/clock.ts'
import type { Config } from './platform/config/config.ts'
import { openRuntimeSettings } from './platform/config/runtime-settings.ts'
import { openDatabase, type Database } from '#server/platform/database/database.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { createCatalogueChanges } from './platform/database/catalogue-changes.ts'
import { shareCallCounts } from './platform/database/share-call-counts.ts'
import { createDocumentFiles } from '#server/platform/document-files.ts'
import { createSlots } from './platform/http/limits/concurrency-slots.ts'
import { newId } from '#server/platform/ids.ts'
import { joinWrites } from '#server/platform/join-writes.ts'
import type { Log } from '#server/platform/log.ts'
import { openMailer, type Mailer } from '#server/platform/mail/mailer.ts'
import { openNetworkQuotas } from '#server/platform/network-quotas.ts'
import { watchDisk } from './platform/processes/disk-guard.ts'
import { openStorage } from '#server/platform/storage/open-storage.ts'
import type { Tables, Tx } from '#server/tables.ts'

/** Parts of the platform that tests may replace. */
export interface PlatformOverrides {
  database?: Database<Tables>
  clock?: Clock
  /**
   * The clock for TOTP codes and operators' sessions; by default `clock` or, if that is missing, the system's clock.
   */
  realClock?: Clock
  mailer?: Mailer
  /** Caches rely on announcements once nothing has changed for this long. */
  catalogueQuietMs?: number
  webRoot?: string
}

export type Platform = Awaited<ReturnType<typeof openPlatform>>

/**
 * The longest wait for each lock in a transaction that writes several buffers. It is short, so that one buffer does not
 * delay the others.
 */
const joinedLockTimeoutMs = 500

const builtWeb = join(import.meta.dirname, '..', 'dist', 'web')

/**
 * Opens the parts that every feature may use: the database, clock, storage, mail, limits and settings.
 * @throws ConfigError if the database cannot be used; it names the setting
 */
export async function openPlatform(config: Config, log: Log, overrides: PlatformOverrides) {
  const database = overrides.database ?? (await openDatabase<Tables>(config, log))
  const { db } = database
  const clock = overrides.clock ?? (await createSiteClock(config, db, log))
  const { id: siteId } = await getOrCreateSetting(db, 'site_id', { id: newId('site') })
  const storage = await openStorage(config, log, siteId)
  const settings = await openRuntimeSettings(database, config, log)
  const quotas = openNetworkQuotas({
    limits: config.quotas,
    clock,
    log,
    share: (counted) => shareCallCounts(database.pool, counted, clock.now()),
  })
  const mailer = overrides.mailer ?? openMailer(config, log, () => settings.mailFrom)
  const disk = await watchDisk(config.dataDir, config.resourceLimits.minFreeBytes, log)
  return {
    config,
    log,
    clock,
    realClock: overrides.realClock ?? overrides.clock ?? systemClock,
    database,
    db,
    catalogueChanges: createCatalogueChanges(database.pool, overrides.catalogueQuietMs),
    joinWrites: joinWrites<Tx>(
      (work) => inTransaction(db, work, { lockTimeoutMs: joinedLockTimeoutMs }),
      log,
    ),
    /** Identifies this site's database. */
    siteId,
    storage,
    settings,
    quotas,
    disk,
    concurrencySlots: createSlots(),
    limits: settings.limits,
    resourceLimits: config.resourceLimits,
    languages: () => settings.languages,
    translate,
    composeMail: createMailComposer(config.operator.site, () => settings.languages),
    mailer,
    documentFiles: createDocumentFiles(join(config.dataDir, 'documents'), clock),
    operator: {
      ...config.operator,
      get email() {
        return settings.contactEmail
      },
    },
    secret: config.secrets.appSecret,
    isHttps: config.production,
    publicUrl: config.publicUrl,
    webRoot: overrides.webRoot ?? builtWeb,
    /** Stops the platform's background work; the database stays open. */
    async stopPlatform() {
      await settings.stop()
      quotas.stop()
      disk.stop()
      mailer.close()
    },
  }
}
