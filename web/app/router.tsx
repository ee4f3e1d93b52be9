import { createBrowserRouter, replace, type RouteObject } from 'react-router'
import { withTexts } from '#web/i18n/with-texts.ts'
import { paths } from '#web/lib/paths.ts'
import { storeVisitParameters } from '#web/lib/tracking/visit-parameters.ts'
import { ScreenError } from './ScreenError.tsx'
import { notifyPathChange } from './path-changes.ts'
import { Shell } from './Shell.tsx'

/** Stores the visit's parameters (such as click ids) before each navigation, and removes them from the URL. */
function storeVisitParametersLoader({ request }: { request: Request }) {
  const cleanedUrl = storeVisitParameters(new URL(request.url))
  return cleanedUrl ? replace(cleanedUrl) : null
}

/** Loads a screen with the texts of the search field, which is part of every list of dramas. */
const withSearchTexts = <Loaded,>(loading: Promise<Loaded>) => withTexts('search', loading)

/** Loads a screen with the texts of the member area, the account and payments. */
const withMemberAreaTexts = <Loaded,>(loading: Promise<Loaded>) =>
  withTexts('watch', withTexts('account', withTexts('member-area', loading)))

const textPages = [
  paths.serviceAgreement,
  paths.privacyPolicy,
  paths.refundPolicy,
  paths.contentPolicy,
  paths.commonQuestions,
  paths.contactUs,
]

const screens: RouteObject[] = [
  { path: paths.home.pattern, lazy: () => import('./screens/HomeScreen.tsx') },
  { path: paths.browse.pattern, lazy: () => withSearchTexts(import('./screens/BrowseScreen.tsx')) },
  {
    path: paths.more.pattern,
    lazy: () => withSearchTexts(import('./screens/MoreScreen.tsx')),
    handle: { immersive: /[?&]feed=/ },
  },
  { path: paths.search.pattern, lazy: () => withSearchTexts(import('./screens/SearchScreen.tsx')) },
  {
    path: paths.searchDetail.pattern,
    lazy: () => withSearchTexts(import('./screens/SearchDetailScreen.tsx')),
  },
  {
    path: paths.video.pattern,
    lazy: () => withTexts('watch', import('./screens/VideoScreen.tsx')),
    handle: { immersive: /^/ },
  },
  {
    path: paths.shopping.pattern,
    lazy: () => withTexts('watch', import('./screens/PlansScreen.tsx')),
  },
  {
    path: paths.orderResult.pattern,
    lazy: () => withTexts('watch', import('./screens/OrderResultScreen.tsx')),
  },
  { path: paths.signIn.pattern, lazy: () => withTexts('account', import('./screens/SignInScreen.tsx')) },
  {
    path: paths.register.pattern,
    lazy: () => withTexts('account', import('./screens/RegisterScreen.tsx')),
  },
  {
    path: paths.retrievePassword.pattern,
    lazy: () => withTexts('account', import('./screens/ResetPasswordScreen.tsx')),
  },
  {
    path: paths.favorites.pattern,
    lazy: () => withTexts('account', import('./screens/FavoritesScreen.tsx')),
  },
  {
    path: paths.history.pattern,
    lazy: () => withTexts('account', import('./screens/HistoryScreen.tsx')),
  },
  {
    path: paths.unlocked.pattern,
    lazy: () => withTexts('account', import('./screens/UnlockedScreen.tsx')),
  },
  {
    path: paths.individual.pattern,
    lazy: () => withMemberAreaTexts(import('./screens/AccountSettingsScreen.tsx')),
  },
  { path: paths.my.pattern, lazy: () => withMemberAreaTexts(import('./screens/MemberAreaScreen.tsx')) },
  ...textPages.map(({ pattern }) => ({
    path: pattern,
    lazy: () => withTexts('pages', import('./screens/TextScreen.tsx')),
  })),
  { path: '*', lazy: () => import('./screens/NotFoundScreen.tsx') },
]

/**
 * Creates the router and opens the screen for the document's URL. The router is not created on import, because the
 * documents of the order form and the studio also load this file and need no router.
 */
export function openRouter() {
  // The router stores scroll positions under this key. Without it, all documents would share one default key, and a
  // newly opened page would start at the scroll position of another page.
  if (!history.state?.key) history.replaceState({ ...history.state, key: String(Date.now()) }, '')
  const router = createBrowserRouter([
    {
      Component: Shell,
      ErrorBoundary: Shell,
      HydrateFallback: Shell,
      loader: storeVisitParametersLoader,
      shouldRevalidate: ({ nextUrl }) => storeVisitParameters(new URL(nextUrl)) !== null,
      // If a screen crashes, the shell around it stays intact.
      children: [{ ErrorBoundary: ScreenError, children: screens }],
    },
  ])
  router.subscribe(({ location: { pathname } }) => notifyPathChange(pathname))
  // A missing file of the next screen has usually been replaced by a newer release. A new document names the current
  // files. Other failed imports are handled by their callers.
  let reloadedFor: unknown
  addEventListener('vite:preloadError', () => {
    const { location: to } = router.state.navigation
    // Several files of one screen may be missing; request its document only once.
    if (!to || to === reloadedFor || !navigator.onLine) return
    reloadedFor = to
    location.assign(to.pathname + to.search + to.hash)
  })
  return router
}
