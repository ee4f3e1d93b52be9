import { join } from 'node:path'
import { languages as allLanguages } from '#contract/languages.ts'
import type { PageSettings } from '#contract/page-settings.ts'
import {
  eraseBilling,
  exportBilling,
  hasBought,
  forgetClicksOfOrders,
  membershipOf,
  mergeBilling,
  offerFor,
  refuseErasure,
} from '#server/features/billing/billing.ts'
import {
  eraseAlerts,
  exportAlerts,
  mergePush,
  openPushKeys,
  type AlertsContext,
} from '#server/features/alerts/alerts.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { createGateways, type GatewaySetUp } from './features/billing/gateways/create-gateways.ts'
import { openClock } from '#server/features/billing/gateways/sandbox/sandbox-clock.ts'
import { seedPlans } from './features/billing/subscriptions/seed-plans.ts'
import {
  createExperiments,
  eraseExposures,
  exportExposures,
  mergeExposures,
  payThemeFor,
  pricesFor,
  withVariantPrices,
} from '#server/features/experiments/experiments.ts'
import { createCatalog, settleSetting } from '#server/features/catalog/catalog.ts'
import { seedHomepage } from './features/catalog/homepage/seed-homepage.ts'
import type { CatalogRoutesContext } from '#server/features/catalog/routes.ts'
import {
  eraseLibrary,
  exportLibrary,
  loadLastActivity,
  holdSaves,
  loadPersonal,
  mergeLibrary,
  recentlyWatched,
} from '#server/features/library/library.ts'
import {
  createEpisodes,
  createMediaKeys,
  findCover,
  type MediaContext,
} from '#server/features/media/media.ts'
import type { LifecycleHooks } from './features/members/lifecycle-hooks.ts'
import type { LibraryRoutesContext } from '#server/features/library/routes.ts'
import type { MembersRoutesContext } from '#server/features/members/routes.ts'
import { eraseCredentials, exportCredentials } from './features/members/credentials/erase-credentials.ts'
import { createSocialProviders } from '#server/features/members/social/create-providers.ts'
import type { SocialContext } from '#server/features/members/social/routes.ts'
import { eraseIdentities, exportIdentities } from './features/members/credentials/identities.ts'
import type { SocialProvider } from '#server/features/members/social/social-provider.ts'
import { readDocuments } from '#server/features/pages/documents.ts'
import type { PageContext } from '#server/features/pages/text-pages/load-page.ts'
import { selectIcon } from '#server/features/pages/queries.ts'
import type { PagesContext } from '#server/features/pages/routes.ts'
import { createSiteIcons, type SiteIcons } from './features/pages/install/site-icons.ts'
import type { MessageContext } from '#server/features/pages/send-message.ts'
import { composerFor } from '#server/i18n/compose-mail.ts'
import {
  holdAgreement,
  holdAgreements,
  selectConsents,
  selectReferrer,
} from './features/members/account/consent-queries.ts'
import type { StudioContext } from '#server/features/studio/studio.ts'
import type { TrackingRoutesContext } from '#server/features/tracking/routes.ts'
import {
  bufferEvents,
  changeConsent,
  countPlays,
  eraseTracking,
  exportTracking,
  mergeTracking,
  recordTouch,
  reportRegistration,
  writeEvents,
  type AttributionContext,
  type ConversionContext,
  type WriteEventsContext,
} from '#server/features/tracking/tracking.ts'
import { translate } from '#server/i18n/translate.ts'
import { systemClock, type Clock } from '#server/platform/clock.ts'
import type { Config } from './platform/config/config.ts'
import { openDatabase, type Database } from '#server/platform/database/database.ts'
import { createDocumentFiles } from '#server/platform/document-files.ts'
import { createSlots } from './platform/http/limits/slots.ts'
import { openNetworkQuotas } from '#server/platform/network-quotas.ts'
import { watchDisk } from './platform/processes/disk-guard.ts'
import { exchangeCalls } from './platform/database/share-rate-limits.ts'
import { newId } from '#server/platform/ids.ts'
import { openRuntimeSettings, type RuntimeSettings } from './platform/config/runtime-settings.ts'
import type { Log } from '#server/platform/log.ts'
import { addressOf, openMailer, type Mailer } from '#server/platform/mail/mailer.ts'
import type { MailContext } from '#server/platform/mail/send-mails.ts'
import { openStorage } from '#server/platform/storage/open-storage.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import type { Tables } from '#server/tables.ts'

type FeatureContexts = BillingContext &
  AlertsContext &
  LibraryRoutesContext &
  CatalogRoutesContext &
  MembersRoutesContext &
  SocialContext &
  MediaContext &
  TrackingRoutesContext &
  AttributionContext &
  ConversionContext &
  WriteEventsContext &
  PageContext &
  MessageContext &
  PagesContext &
  StudioContext

/** Everything that a process of the site works with, built once; what each feature asks for is part of it. */
export interface Context extends FeatureContexts, GatewaySetUp, Omit<MailContext, 'db'> {
  config: Config
  database: Database<Tables>
  /** Tells this site's database from any other's. */
  siteId: string
  storage: Storage
  settings: RuntimeSettings
  close(): Promise<void>
}

/** What a test may put in the place of the real thing. */
export interface Overrides {
  database?: Database<Tables>
  clock?: Clock
  /** Where it is not given, what stands for the clock. */
  realClock?: Clock
  gateways?: GatewaySetUp
  socialProviders?: readonly SocialProvider[]
  mailer?: Mailer
  lifecycleHooks?: Partial<LifecycleHooks>
  /** Where the process can be reached by itself; the settings say so otherwise. */
  ownAddress?: () => string | undefined
  webRoot?: string
}

/** What a browser may know of the settings; a DSN is made to be public. */
function pageSettings(
  { operator, balance, tracking: { consent }, sentry: { dsn, sandboxHostSuffix } }: Config,
  { languages }: Pick<RuntimeSettings, 'languages'>,
  icons: SiteIcons,
  socialProviders: readonly SocialProvider[],
): PageSettings {
  return {
    site: operator.site,
    logo: icons.logo(),
    consent,
    ...(languages === allLanguages ? {} : { languages }),
    ...(socialProviders.length > 0 ? { social: socialProviders.map(({ id, name }) => ({ id, name })) } : {}),
    ...(balance ? { balance } : {}),
    ...(dsn === undefined ? {} : { sentry: { dsn, sandbox_host_suffix: sandboxHostSuffix } }),
  }
}

/** Which secrets the environment has, by the names of its settings. */
function secretsIn({ secrets, mail, tracking: { conversions } }: Config): { name: string; set: boolean }[] {
  const { stripe, paypal, s3, social } = secrets
  const given = {
    APP_SECRET: secrets.appSecret,
    STRIPE_SECRET_KEY: stripe,
    PAYPAL_CLIENT_SECRET: paypal,
    S3_SECRET_ACCESS_KEY: s3,
    SMTP_URL: mail.smtpUrl,
    META_ACCESS_TOKEN: conversions.meta,
    TIKTOK_ACCESS_TOKEN: conversions.tiktok,
    GOOGLE_CLIENT_SECRET: social.google,
    FACEBOOK_CLIENT_SECRET: social.facebook,
    TIKTOK_CLIENT_SECRET: social.tiktok,
    OIDC_CLIENT_SECRET: social.oidc,
  }
  return Object.entries(given).map(([name, value]) => ({ name, set: value !== undefined }))
}

const builtWeb = join(import.meta.dirname, '..', 'dist', 'web')

/**
 * Builds the collaborators of a process: the one place where features are joined. Brings the database up to date and
 * gives a new one its plans and homepage.
 * @throws ConfigError naming the setting where the database cannot be used
 */
export async function createContext(config: Config, log: Log, overrides: Overrides = {}): Promise<Context> {
  const database = overrides.database ?? (await openDatabase<Tables>(config, log))
  const { db } = database
  const clock = overrides.clock ?? (await openClock(config, db, log))
  const { id: siteId } = await settleSetting(db, 'site_id', { id: newId('site') })
  const [storage, pushKeys] = await Promise.all([
    openStorage(config, log, siteId),
    openPushKeys(db, config.secrets.appSecret, log),
    seedPlans(db),
    seedHomepage(db),
  ])
  const settings = await openRuntimeSettings(database, config, log)
  const operator = {
    ...config.operator,
    get email() {
      return settings.contactEmail
    },
  }
  const webRoot = overrides.webRoot ?? builtWeb
  const ownAddress = overrides.ownAddress ?? (() => `http://127.0.0.1:${config.port}`)
  const { gateways, gatewayRoutes } =
    overrides.gateways ?? (await createGateways({ config, db, clock, log, ownAddress }))
  const socialProviders = overrides.socialProviders ?? (await createSocialProviders(config))
  const documents = readDocuments(webRoot, () => pageSettings(config, settings, icons, socialProviders))
  const icons = createSiteIcons({
    logo: config.operator.logo,
    uploaded: {
      hash: () => settings.icon,
      load: (hash) => selectIcon(db, hash),
      refresh: () => settings.refresh(),
    },
    webRoot,
    background: () => documents.background(),
    log,
  })
  const quotas = openNetworkQuotas({
    limits: config.quotas,
    clock,
    log,
    share: (counted) => exchangeCalls(database.pool, counted, clock.now()),
  })
  const experiments = createExperiments({ db, clock, quotas })
  const saves = holdSaves({ db, clock, log, countPlays, quotas, running: () => experiments.running() })
  const eraseOwnLibrary: typeof eraseLibrary = async (tx, userId, now) => {
    await saves.settleWithin(tx, userId)
    await eraseLibrary(tx, userId, now)
  }
  const disk = await watchDisk(config.dataDir, config.bounds.leastFreeBytes, log)
  const context: Context = {
    config,
    log,
    clock,
    realClock: overrides.realClock ?? overrides.clock ?? systemClock,
    database,
    db,
    ...createCatalog(database.reads, clock),
    episodes: createEpisodes(db, clock),
    experiments,
    gateways,
    gatewayRoutes,
    balanceOn: config.balance,
    socialProviders,
    translate,
    composeMail: composerFor(config.operator.site, () => settings.languages),
    mailer: overrides.mailer ?? openMailer(config, log, () => settings.mailFrom),
    webRoot,
    apiDocs: config.apiDocs,
    siteId,
    storage,
    documents,
    icons,
    languages: () => settings.languages,
    copyright: () => ({ text: `© ${config.operator.site}`, icon: icons.logo() }),
    sentryDsn: config.sentry.dsn,
    mediaHosts: storage.delivery.kind === 'files' ? [] : [new URL(storage.delivery.origin).origin],
    secret: config.secrets.appSecret,
    mediaSecrets: config.secrets.media,
    mediaKeys: createMediaKeys(config.secrets.appSecret, config.mediaEncrypt === 'aes-128'),
    pushKeys,
    secure: config.production,
    publicUrl: config.publicUrl,
    limits: settings.limits,
    bounds: config.bounds,
    quotas,
    disk,
    slots: createSlots(),
    documentFiles: createDocumentFiles(join(config.dataDir, 'documents'), clock),
    settings,
    environment: config,
    secretsSet: secretsIn(config),
    operator,
    supportRefunds: config.supportRefunds,
    sandboxOffered: gateways.some(({ id }) => id === 'sandbox'),
    inbox: () => settings.contactEmail ?? addressOf(settings.mailFrom),
    tracking: config.tracking,
    consentsOf: selectConsents,
    holdAgreement,
    holdAgreements,
    findReferrer: selectReferrer,
    forgetClicksOfOrders,
    saves,
    events: bufferEvents({ write: (batch) => writeEvents(context, batch), log }),
    lifecycleHooks: {
      keep: [(tx, id, ids) => recordTouch(context, tx, id, ids, clock.now())],
      register: [(tx, newcomer) => reportRegistration(context, tx, newcomer, clock.now())],
      consent: [(tx, id, marketing, ids) => changeConsent(context, tx, id, { marketing, ids }, clock.now())],
      merge: [
        (tx, guestId, memberId) => mergeBilling(tx, guestId, memberId, clock.now()),
        async (tx, guest, member) => {
          for (const id of [guest, member]) await saves.settleWithin(tx, id)
          await mergeLibrary(tx, guest, member)
        },
        mergeExposures,
        mergePush,
        (tx, guest, member) => mergeTracking(context, tx, guest, member),
      ],
      mayErase: [refuseErasure],
      erase: [
        eraseAlerts,
        eraseExposures,
        eraseBilling,
        eraseIdentities,
        eraseOwnLibrary,
        eraseCredentials,
        eraseTracking,
      ],
      lastActive: [
        async (tx, id) => {
          await saves.settleWithin(tx, id)
          return loadLastActivity(tx, id)
        },
        async (tx, id) => ((await hasBought(tx, id)) ? clock.now() : undefined),
      ],
      export: [
        exportAlerts,
        exportExposures,
        exportBilling,
        exportIdentities,
        async (database, id) => {
          await saves.settle(id)
          return exportLibrary(database, id)
        },
        exportCredentials,
        exportTracking,
      ],
      ...overrides.lifecycleHooks,
    },
    countPlays,
    personalFor: async (database, viewer, videoId) => {
      if (viewer) await saves.settle(viewer.userId)
      return loadPersonal(database, viewer, videoId)
    },
    recentlyWatched: async (database, viewer) => {
      await saves.settle(viewer.userId)
      return recentlyWatched(database, viewer)
    },
    membershipOf: (database, viewer, language) => membershipOf(context, database, viewer, language),
    pricesFor: async ({ userId }, videoId) => {
      const arms = pricesFor(await experiments.running(), userId, videoId)
      return Object.keys(arms).length > 0 ? (price) => withVariantPrices(price, arms) : undefined
    },
    payThemeFor: async ({ userId }) => payThemeFor(await experiments.running(), userId),
    offerFor: (database, viewer, episode, language) => offerFor(context, database, viewer, episode, language),
    findCover: (viewer, episodeId, language) => findCover(context, viewer, episodeId, language),
    async close() {
      await settings.stop()
      quotas.stop()
      disk.stop()
      await Promise.all([context.events.stop(), saves.stop()])
      await database.close()
    },
  }
  return context
}
