import { languages as allLanguages } from '#contract/languages.ts'
import type { PageSettings } from '#contract/page-settings.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { RuntimeSettings } from '#server/platform/config/runtime-settings.ts'
import type { Log } from '#server/platform/log.ts'
import { senderAddress } from '#server/platform/mail/mailer.ts'
import type { Db } from '#server/tables.ts'
import { createDocuments } from './html-documents.ts'
import { createSiteIcons, type SiteIcons } from './pwa/site-icons.ts'
import { selectIcon } from './page-queries.ts'

interface PagesDependencies {
  config: Config
  db: Db
  log: Log
  settings: RuntimeSettings
  webRoot: string
  socialProviders: readonly { id: string; name: string }[]
}

/** Adds to the context the built HTML documents, the site's icons, and settings that only pages need. */
export function pagesFeature(needed: PagesDependencies) {
  const { config, db, log, settings, webRoot } = needed
  const documents = createDocuments(webRoot, () => pageSettings(needed, icons))
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
  return {
    parts: {
      documents,
      icons,
      apiDocs: config.apiDocs,
      sentryDsn: config.sentry.dsn,
      copyright: () => ({ text: `© ${config.operator.site}`, icon: icons.logo() }),
      inbox: () => settings.contactEmail ?? senderAddress(settings.mailFrom),
    },
  }
}

/** Returns the public settings that each document contains. A Sentry DSN may be public. */
function pageSettings(
  { config, settings, socialProviders }: PagesDependencies,
  icons: SiteIcons,
): PageSettings {
  const { operator, balance, tracking, sentry } = config
  const { languages } = settings
  const { dsn, sandboxHostSuffix } = sentry
  return {
    site: operator.site,
    logo: icons.logo(),
    consent: tracking.consent,
    ...(languages === allLanguages ? {} : { languages }),
    ...(socialProviders.length > 0 ? { social: socialProviders.map(({ id, name }) => ({ id, name })) } : {}),
    ...(balance ? { balance } : {}),
    ...(dsn === undefined ? {} : { sentry: { dsn, sandbox_host_suffix: sandboxHostSuffix } }),
  }
}
