import '#web/i18n/account.ts'
import '#web/i18n/member-area.ts'
import '#web/i18n/watch.ts'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useId, type ReactNode } from 'react'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'
import type { User } from '#contract/members.ts'
import { Orders } from '#web/features/billing/orders/Orders.tsx'
import { balanceQuery } from '#web/features/billing/payments/balance-queries.ts'
import { SavedCard } from '#web/features/billing/payment-methods/SavedCard.tsx'
import { SubscriptionSection } from '#web/features/billing/subscriptions/SubscriptionSection.tsx'
import { readEmailLink } from '#web/features/billing/consumer-rights/email-link.ts'
import { userQuery } from '#web/features/members/queries.ts'
import { socialProvidersQuery } from '#web/features/members/sign-in/social-query.ts'
import { Sessions } from '#web/features/members/settings/Sessions.tsx'
import { storedFragment } from '#web/features/members/sign-in/social-return.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { withTexts } from '#web/i18n/with-texts.ts'
import { paths } from '#web/lib/paths.ts'
import { settings } from '#web/lib/settings.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import styles from './member-area-screen.module.css'

// Loaded on demand, because most sites offer no social providers.
const LinkedAccounts = lazy(async () => ({
  default: (await import('#web/features/members/settings/LinkedAccounts.tsx')).LinkedAccounts,
}))

const Receipt = lazy(async () => ({
  default: (await import('#web/features/billing/orders/Receipt.tsx')).Receipt,
}))
// Loaded on demand, because many sites never had prepaid balances.
const OwnBalance = lazy(async () => ({
  default: (await withTexts('balance', import('#web/features/billing/balance/BalanceSection.tsx')))
    .BalanceSection,
}))
const EmailLinkAction = lazy(async () => ({
  default: (await import('#web/features/billing/consumer-rights/EmailLinkAction.tsx')).EmailLinkAction,
}))
const StopAlerts = lazy(async () => ({
  default: (await withTexts('alerts', import('#web/features/alerts/StopAlerts.tsx'))).StopAlerts,
}))
const AlertSettings = lazy(async () => ({
  default: (await withTexts('alerts', import('#web/features/alerts/AlertSettings.tsx'))).AlertSettings,
}))
const GuestAlerts = lazy(async () => ({
  default: (await withTexts('alerts', import('#web/features/alerts/push/PushSetting.tsx'))).GuestAlerts,
}))

/**
 * The member area. With `?receipt=`, shows the receipt of that order instead. If the URL has the fragment of a mailed
 * link or of a link in the footer, shows the page of that link, such as the cancellation.
 */
export function Component() {
  const [search] = useSearchParams()
  const { hash } = useLocation()
  const receipt = search.get('receipt')
  const alertsSecret = new URLSearchParams(hash.slice(1)).get('alerts')
  if (alertsSecret)
    return (
      <Suspense>
        <StopAlerts key={alertsSecret} secret={alertsSecret} />
      </Suspense>
    )
  const link = readEmailLink(hash)
  // The key remounts the page for a new link.
  if (link)
    return (
      <Suspense>
        <EmailLinkAction key={hash} link={link} />
      </Suspense>
    )
  const storedHash = storedFragment()
  if (storedHash) return <RedirectToHash hash={storedHash} />
  if (!receipt) return <MemberArea />
  return (
    <Suspense>
      <Receipt orderId={receipt} />
    </Suspense>
  )
}

/** Restores the fragment that was in the URL before the user signed in at a social provider. */
function RedirectToHash({ hash }: { hash: string }) {
  const navigate = useNavigate()
  useEffect(() => void navigate({ hash }, { replace: true }), [navigate, hash])
  return null
}

function MemberArea() {
  const { t } = useTranslation()
  const { data: user, isError, refetch } = useQuery(userQuery)
  // If the operator has turned balances off, only users who already have a balance see it.
  const balance = useQuery({ ...balanceQuery, enabled: !settings.balance && user !== undefined })
  return (
    <section className={styles.my}>
      <title>{t('my.title')}</title>
      <h1>{t('my.title')}</h1>
      <Greeting user={user} />
      <AreaLinks />
      <TitledSection title={t('my.membership')}>
        {!user &&
          (isError ? (
            <LoadError onRetry={() => void refetch()} />
          ) : (
            <div className={styles.skeleton} aria-busy />
          ))}
        {user &&
          (user.membership.plan ? <SubscriptionSection /> : <FreePlan isGuest={user.role !== 'member'} />)}
      </TitledSection>
      {user && (
        <SavedCard
          key={user.id}
          userId={user.id}
          renderSection={(card) => <TitledSection title={t('savedCard.title')}>{card}</TitledSection>}
        />
      )}
      {/* Hides the sections below until it is known whether the balance is shown above them. */}
      {balance.isLoading && <div hidden aria-busy />}
      {(settings.balance || balance.data) && user && (
        <Suspense fallback={<div className={styles.skeleton} aria-busy />}>
          {/* The key refetches the balance when the user changes. */}
          <OwnBalance
            key={user.id}
            renderSection={(title, content) => <TitledSection title={title}>{content}</TitledSection>}
          />
        </Suspense>
      )}
      <div className={styles.columns}>
        <TitledSection title={t('orders.title')}>
          {/* The key refetches the orders when the user changes. */}
          <Orders key={user?.id ?? ''} />
        </TitledSection>
        {user?.role === 'member' && (
          <div className={styles.column}>
            <TitledSection title={t('my.devices')}>
              <Sessions />
            </TitledSection>
            <AlertsSection>
              <div className={styles.alerts} data-push={'PushManager' in window}>
                <Suspense>
                  <AlertSettings />
                </Suspense>
              </div>
            </AlertsSection>
            <LinkedAccountsSection user={user} />
          </div>
        )}
        {user?.role === 'visitor' && (
          <Suspense>
            <GuestAlerts around={(setting) => <AlertsSection>{setting}</AlertsSection>} />
          </Suspense>
        )}
      </div>
    </section>
  )
}

function AlertsSection({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  return <TitledSection title={t('my.alerts')}>{children}</TitledSection>
}

/** Shows the linked social accounts, if any account or provider exists. New accounts are linked in the settings. */
function LinkedAccountsSection({ user }: { user: User }) {
  const { t } = useTranslation()
  const { data } = useQuery(socialProvidersQuery)
  if (!data?.list.length && !data?.linked.length) return null
  return (
    <TitledSection title={t('link.linkedAccounts')}>
      <Suspense>
        <LinkedAccounts user={user} />
      </Suspense>
      <Link className={`${buttonClass('quiet')} ${styles.more}`} to={paths.individual.to()}>
        {t('link.more')}
      </Link>
    </TitledSection>
  )
}

function TitledSection({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

function Greeting({ user }: { user: User | undefined }) {
  const { t } = useTranslation()
  if (!user) return <p className={styles.greeting} />
  if (user.role === 'member')
    return (
      <p className={styles.greeting}>{t('menu.welcome', { name: user.display_name ?? user.email ?? '' })}</p>
    )
  return (
    <div className={styles.guest}>
      <p>
        <strong>{t('my.guest')}</strong> {t('my.guestText')}
      </p>
      {/* While a payment is past due, the button that pays it is the main button. */}
      <Link
        className={buttonClass(user.membership.status === 'past_due' ? 'quiet' : 'main')}
        to={paths.register.to()}
      >
        {t('menu.register')}
      </Link>
      <Link className={buttonClass('quiet')} to={paths.signIn.to()}>
        {t('menu.signIn')}
      </Link>
    </div>
  )
}

function AreaLinks() {
  const { t } = useTranslation()
  const link = (to: string, icon: Parameters<typeof Icon>[0]['name'], label: string) => (
    <Link className={styles.link} to={to}>
      <Icon name={icon} />
      {label}
    </Link>
  )
  return (
    <nav className={styles.links} aria-label={t('my.library')}>
      {link(paths.favorites.to(), 'heart', t('menu.favorites'))}
      {link(paths.history.to(), 'play', t('menu.history'))}
      {link(paths.unlocked.to(), 'check', t('menu.unlocked'))}
      {link(paths.individual.to(), 'settings', t('menu.profile'))}
    </nav>
  )
}

function FreePlan({ isGuest }: { isGuest: boolean }) {
  const { t } = useTranslation()
  return (
    <div className={styles.free}>
      <div>
        <h3>{t('my.free')}</h3>
        <p>{t('my.freeText')}</p>
      </div>
      {/* For a guest, the button that creates an account is the main button. */}
      <Link className={buttonClass(isGuest ? 'quiet' : 'main')} to={paths.shopping.to()}>
        {t('my.plans')}
      </Link>
    </div>
  )
}
