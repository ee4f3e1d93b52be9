import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link, matchPath, NavLink, Outlet, ScrollRestoration, useLocation, useNavigation } from 'react-router'
import type { Role } from '#contract/studio/command.ts'
import { closeStudioSession, type StudioSession } from '#contract/studio/operators.ts'
import { call } from '#web/lib/api.ts'
import { forgetProblem } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { areas } from './areas.ts'
import { forgetOthersDraft } from './homepage/stored-draft.ts'
import { LanguageChoice } from './LanguageChoice.tsx'
import { NotForRole } from './NotFound.tsx'
import { OperatorSessionContext, operatorSessionQuery, isSignedOut, shown } from './queries.ts'
import { SignIn } from './SignIn.tsx'
import { SignInOver } from './SignInOver.tsx'
import { useTexts } from './texts.ts'
import { AreaIcon } from './ui/AreaIcon.tsx'
import { useNoStrayDrop } from './ui/file-drop.ts'
import { AskToLeave, LeaveGuard } from './ui/unsaved/LeaveGuard.tsx'
import { OfflineLine } from './ui/OfflineLine.tsx'
import { forgetUnsaved, hasUnsaved } from './ui/unsaved/unsaved.ts'
import styles from './shell.module.css'

/**
 * What stands around every screen of the studio; whoever is not signed in gets the sign-in in its place, or over it where
 * something is not saved.
 */
export function Shell() {
  const { t } = useTexts()
  const desk = useQuery(operatorSessionQuery)
  const worker = useWorker(desk.data)
  const operatorId = desk.data?.operator.id
  // The next operator in this browser sees nothing of the unpublished draft.
  useEffect(() => {
    if (desk.isSuccess) forgetOthersDraft(operatorId)
  }, [desk.isSuccess, operatorId])
  if (desk.isPending) return <div className={styles.wait} aria-busy="true" aria-label={t('desk.loading')} />
  if (desk.isLoadingError) return <CouldNotLoad onRetry={() => void desk.refetch()} />
  if (!worker)
    return (
      <main>
        <SignIn />
      </main>
    )
  const { id } = worker.operator
  return (
    // Somebody else begins with nothing of what was typed.
    <OperatorSessionContext key={id} value={worker}>
      <Desktop desk={worker} />
      {!desk.data && <SignInOver kept={id} />}
    </OperatorSessionContext>
  )
}

/** The operator of the page: signed in, or signed out by an ended session with unsaved changes. */
function useWorker(signedIn: StudioSession | null | undefined): StudioSession | null {
  const [last, setLast] = useState<StudioSession | null>(null)
  const worker = signedIn ?? (hasUnsaved() ? last : null)
  if (worker !== last) setLast(worker)
  return worker
}

function Desktop({ desk }: { desk: StudioSession }) {
  const { t } = useTexts()
  const busy = useNavigation().state === 'loading'
  useNoStrayDrop()
  const { pathname } = useLocation()
  const [accountOn, setAccountOn] = useState('')
  const isAccountOpen = accountOn === pathname
  useFocusOnNewPage(pathname)
  useEffect(forgetProblem, [pathname])
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        {t('desk.skip')}
      </a>
      <header className={styles.side} aria-label={t('desk.studio')}>
        <Link className={styles.site} to="/studio">
          {desk.site} <span>{t('desk.studio')}</span>
        </Link>
        <button
          type="button"
          className={styles.account}
          aria-expanded={isAccountOpen}
          onClick={() => setAccountOn(isAccountOpen ? '' : pathname)}
        >
          <Icon name="user" size={20} />
          <span className="hidden-text">{t('desk.account')}</span>
        </button>
        <nav aria-label={t('desk.areas')} className={styles.areas}>
          {areas
            .filter(({ roles }) => roles.includes(desk.operator.role))
            .map(({ name, path, icon }) => (
              <NavLink key={name} to={path}>
                <AreaIcon name={icon} />
                {t(`desk.area.${name}`)}
              </NavLink>
            ))}
        </nav>
        <div className={styles.person} data-open={isAccountOpen}>
          <Person desk={desk} />
        </div>
      </header>
      <main id="main" className={styles.main} aria-label={t('desk.studio')} aria-busy={busy} tabIndex={-1}>
        {desk.sandbox && (
          <p className={styles.sandbox} role="note">
            {t('desk.sandbox')}
          </p>
        )}
        {isForOthers(pathname, desk.operator.role) ? <NotForRole /> : <Outlet />}
      </main>
      <ScrollRestoration />
      <LeaveGuard />
      <OfflineLine />
    </div>
  )
}

/** Whether an address, which anybody may have been sent, leads to an area that a role has nothing to do in. */
const isForOthers = (pathname: string, role: Role) =>
  areas.some(({ path, roles }) => matchPath(`${path}/*`, pathname) && !roles.includes(role))

/** A new page is read from its heading on: the focus does not stay on the link that led there. */
function useFocusOnNewPage(pathname: string): void {
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    const main = document.querySelector('main')
    // What the page itself focuses, such as a tab that stays, keeps the focus.
    if (document.activeElement !== document.body && main?.contains(document.activeElement)) return
    const heading = main?.querySelector<HTMLElement>('h1')
    ;(heading ?? main)?.focus({ preventScroll: true })
  }, [pathname])
}

/** Who is signed in, in which language, and the way out. */
function Person({ desk: { operator } }: { desk: StudioSession }) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const [asks, setAsks] = useState(false)
  const signOut = async () => {
    await call(closeStudioSession, { body: {} }).catch((error: unknown) => {
      if (!isSignedOut(error)) throw error
    })
    forgetUnsaved()
    queryClient.setQueryData(operatorSessionQuery.queryKey, null)
    // The next one at this desk may see less.
    queryClient.removeQueries(shown)
  }
  return (
    <>
      <p>
        {operator.email}
        <span>{t(`desk.role.${operator.role}`)}</span>
      </p>
      <LanguageChoice />
      <Button look="quiet" onClick={() => (hasUnsaved() ? setAsks(true) : void signOut())}>
        {t('desk.signOut')}
      </Button>
      {asks && <AskToLeave onLeave={() => void signOut()} onStay={() => setAsks(false)} />}
    </>
  )
}
