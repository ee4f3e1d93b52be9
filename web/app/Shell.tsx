import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  lazy,
  Suspense,
  useEffect,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
  type CSSProperties,
} from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { withTexts } from '#web/i18n/with-texts.ts'
import { Outlet, ScrollRestoration, useLocation, useMatches, useNavigation } from 'react-router'
import { homepageQuery } from '#web/features/catalog/queries.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { onConsent } from '#web/lib/tracking/consent.ts'
import { shouldShowConsentBanner, reserveConsentBanner } from '#web/lib/tracking/consent-banner.ts'
import { settings } from '#web/lib/settings.ts'
import { whenIdle } from '#web/lib/when-idle.ts'
import { Footer } from './Footer.tsx'
import { Header } from './Header.tsx'
import type { DeferredParts as DeferredPartsComponent } from './deferred/DeferredParts.tsx'
import { TabBar } from './TabBar.tsx'
import styles from './shell.module.css'

// Loaded when the page is idle, because the page works without it.
const DeferredParts = lazy(async () => {
  await new Promise<void>((resolve) => whenIdle(resolve))
  return withTexts('notices', import('./deferred/DeferredParts.tsx')).then(
    ({ DeferredParts }) => ({ default: DeferredParts }),
    () => ({ default: Nothing }),
  )
})

const Nothing: typeof DeferredPartsComponent = () => <></>

/** The frame around every screen. On phones, an `immersive` screen fills the whole display. */
export function Shell() {
  const { t, i18n } = useTranslation()
  useQuery(userQuery)
  const homepage = useQuery(homepageQuery).data
  const queryClient = useQueryClient()
  const { search } = useLocation()
  const immersive = useMatches().some(({ handle }) => isImmersive(handle, search))
  const [showsPrivacyChoices, setShowsPrivacyChoices] = useState(false)
  const busy = useNavigation().state === 'loading'
  useEffect(() => i18n.onChange(() => void queryClient.invalidateQueries()), [i18n, queryClient])
  useFavicon(homepage?.copyright.icon)
  const showsConsentBanner = useSyncExternalStore(onConsent, shouldShowConsentBanner)
  useLayoutEffect(() => reserveConsentBanner(showsConsentBanner), [showsConsentBanner])
  return (
    <div
      className={immersive ? `${styles.shell} ${styles.immersive}` : styles.shell}
      style={accentStyle(homepage?.pay_theme.accent)}
    >
      <title>{settings.site}</title>
      <a className={styles.skip} href="#main">
        {t('site.skip')}
      </a>
      <Suspense>
        <DeferredParts
          showsPrivacyChoices={showsPrivacyChoices}
          onDone={() => setShowsPrivacyChoices(false)}
        />
      </Suspense>
      <Header menu={homepage?.menu ?? []} recommended={homepage?.homepage[0]?.id} />
      <main id="main" className={styles.main} aria-busy={busy}>
        <Outlet />
      </main>
      <Footer copyright={homepage?.copyright.text} onChoices={() => setShowsPrivacyChoices(true)} />
      {!immersive && <TabBar />}
      <ScrollRestoration />
    </div>
  )
}

/** Returns whether a route's screen fills the whole display of a phone. This may depend on the query of the URL. */
function isImmersive(handle: unknown, search: string): boolean {
  const { immersive }: { immersive?: unknown } = Object(handle)
  return immersive instanceof RegExp && immersive.test(search)
}

/** Applies the operator's accent colour to the shell and everything inside it, if the browser understands the value. */
function accentStyle(colour: string | undefined): CSSProperties {
  return colour && CSS.supports('color', colour) ? ({ '--accent': colour } as CSSProperties) : {}
}

function useFavicon(icon: string | undefined): void {
  useEffect(() => {
    if (icon) document.querySelector('link[rel=icon]')?.setAttribute('href', icon)
  }, [icon])
}
