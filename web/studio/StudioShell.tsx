import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link, matchPath, NavLink, Outlet, ScrollRestoration, useLocation, useNavigation } from 'react-router'
import { isAllowed, type Role } from '#contract/studio/roles.ts'
import { closeStudioSession, type StudioSession } from '#contract/studio/operators.ts'
import { call } from '#web/lib/api.ts'
import { hideError } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { areas } from './areas.ts'
import { clearDraftOfOtherOperator } from './homepage/stored-draft.ts'
import { LanguageChoice } from './LanguageChoice.tsx'
import { NotForRole } from './NotFound.tsx'
import {
  OperatorSessionContext,
  operatorSessionQuery,
  isSignedOut,
  allButSession,
} from './session-queries.ts'
import { SignIn } from './SignIn.tsx'
import { SignInDialog } from './SignInDialog.tsx'
import { useTexts } from './texts.ts'
import { AreaIcon } from './ui/AreaIcon.tsx'
import { usePreventStrayDrop } from './ui/use-file-drop.ts'
import { ConfirmLeave, LeaveGuard } from './ui/unsaved/LeaveGuard.tsx'
import { OfflineBanner } from './ui/OfflineBanner.tsx'
import { clearUnsaved, hasUnsaved } from './ui/unsaved/use-unsaved.ts'
import styles from './studio-shell.module.css'

/**
 * The frame around every screen of the studio. Without a session it shows the sign-in, on top of the screen if there
 * are unsaved changes.
 */
export function StudioShell() {
  const { t } = useTexts()
  const session = useQuery(operatorSessionQuery)
  const operatorSession = useRetainedSession(session.data)
  const operatorId = session.data?.operator.id
  // The unpublished draft in this browser must not be shown to the next operator.
  useEffect(() => {
    if (session.isSuccess) clearDraftOfOtherOperator(operatorId)
  }, [session.isSuccess, operatorId])
  if (session.isPending)
    return <div className={styles.wait} aria-busy="true" aria-label={t('shell.loading')} />
  if (session.isLoadingError) return <LoadError onRetry={() => void session.refetch()} />
  if (!operatorSession)
    return (
      <main>
        <SignIn />
      </main>
    )
  const { id } = operatorSession.operator
  return (
    // The key discards typed text when another operator signs in.
    <OperatorSessionContext key={id} value={operatorSession}>
      <StudioLayout session={operatorSession} />
      {!session.data && <SignInDialog previousOperatorId={id} />}
    </OperatorSessionContext>
  )
}

/**
 * Returns the session of the operator who uses the page. If the session has expired while there are unsaved changes,
 * returns the expired session.
 */
function useRetainedSession(signedIn: StudioSession | null | undefined): StudioSession | null {
  const [last, setLast] = useState<StudioSession | null>(null)
  const operatorSession = signedIn ?? (hasUnsaved() ? last : null)
  if (operatorSession !== last) setLast(operatorSession)
  return operatorSession
}

function StudioLayout({ session }: { session: StudioSession }) {
  const { t } = useTexts()
  const busy = useNavigation().state === 'loading'
  usePreventStrayDrop()
  const { pathname } = useLocation()
  const [accountMenuPath, setAccountMenuPath] = useState('')
  const isAccountOpen = accountMenuPath === pathname
  useFocusOnNewPage(pathname)
  useEffect(hideError, [pathname])
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        {t('shell.skip')}
      </a>
      <header className={styles.side} aria-label={t('shell.studio')}>
        <Link className={styles.site} to="/studio">
          {session.site} <span>{t('shell.studio')}</span>
        </Link>
        <nav aria-label={t('shell.areas')} className={styles.areas}>
          {areas
            .filter((area) => isAllowed(session.operator.role, area))
            .map(({ name, path, icon }) => (
              <NavLink key={name} to={path}>
                <AreaIcon name={icon} />
                <span>{t(`shell.area.${name}`)}</span>
              </NavLink>
            ))}
        </nav>
        <button
          type="button"
          className={styles.account}
          aria-expanded={isAccountOpen}
          onClick={() => setAccountMenuPath(isAccountOpen ? '' : pathname)}
        >
          <Icon name="user" size={20} />
          <span className="hidden-text">{t('shell.account')}</span>
        </button>
        <div className={styles.person} data-open={isAccountOpen}>
          <AccountMenu session={session} />
        </div>
      </header>
      <main id="main" className={styles.main} aria-label={t('shell.studio')} aria-busy={busy} tabIndex={-1}>
        {session.sandbox && (
          <p className={styles.sandbox} role="note">
            {t('shell.sandbox')}
          </p>
        )}
        {isForbiddenArea(pathname, session.operator.role) ? <NotForRole /> : <Outlet />}
      </main>
      <ScrollRestoration />
      <LeaveGuard />
      <OfflineBanner />
    </div>
  )
}

/**
 * Returns whether a URL leads to an area that the role may not open. The URL may come from a link that somebody sent.
 */
const isForbiddenArea = (pathname: string, role: Role) =>
  areas.some((area) => matchPath(`${area.path}/*`, pathname) && !isAllowed(role, area))

/** Focuses the heading of a new page. Screen readers then read from there, not from the link that opened the page. */
function useFocusOnNewPage(pathname: string): void {
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    const main = document.querySelector('main')
    // If the page itself has focused an element, such as a tab, do not move the focus.
    if (document.activeElement !== document.body && main?.contains(document.activeElement)) return
    const heading = main?.querySelector<HTMLElement>('h1')
    ;(heading ?? main)?.focus({ preventScroll: true })
  }, [pathname])
}

/** Shows the operator's name, the language choice and the sign-out button. */
function AccountMenu({ session: { operator } }: { session: StudioSession }) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const [isConfirming, setConfirming] = useState(false)
  const signOut = async () => {
    await call(closeStudioSession, { body: {} }).catch((error: unknown) => {
      if (!isSignedOut(error)) throw error
    })
    clearUnsaved()
    queryClient.setQueryData(operatorSessionQuery.queryKey, null)
    // The next operator in this browser may have fewer permissions, so all data is removed.
    queryClient.removeQueries(allButSession)
  }
  return (
    <>
      <p>
        {operator.email}
        <span>{t(`shell.role.${operator.role}`)}</span>
      </p>
      <LanguageChoice />
      <Button variant="quiet" onClick={() => (hasUnsaved() ? setConfirming(true) : void signOut())}>
        {t('shell.signOut')}
      </Button>
      {isConfirming && <ConfirmLeave onLeave={() => void signOut()} onStay={() => setConfirming(false)} />}
    </>
  )
}
