import { createBrowserRouter, replace, type RouteObject } from 'react-router'
import { withTexts } from '#web/i18n/with-texts.ts'
import { paths } from '#web/lib/paths.ts'
import { takeVisitParameters } from '#web/lib/tracking/visit.ts'
import { Failed } from './Failed.tsx'
import { reportPath } from './path-changes.ts'
import { Shell } from './Shell.tsx'

/** Runs before each navigation: stores the visit's parameters and takes them out of the address. */
function enter({ request }: { request: Request }) {
  const cleaned = takeVisitParameters(new URL(request.url))
  return cleaned ? replace(cleaned) : null
}

/** Lists of dramas have a search field. */
const withSearch = <Loaded,>(loading: Promise<Loaded>) => withTexts('search', loading)

/** What is the person's own speaks of the account and of payments too. */
const withMine = <Loaded,>(loading: Promise<Loaded>) =>
  withTexts('watch', withTexts('account', withTexts('mine', loading)))

const texts = [
  paths.serviceAgreement,
  paths.privacyPolicy,
  paths.refundPolicy,
  paths.contentPolicy,
  paths.commonQuestions,
  paths.contactUs,
]

const screens: RouteObject[] = [
  { path: paths.home.pattern, lazy: () => import('./screens/HomeScreen.tsx') },
  { path: paths.browse.pattern, lazy: () => withSearch(import('./screens/BrowseScreen.tsx')) },
  {
    path: paths.more.pattern,
    lazy: () => withSearch(import('./screens/MoreScreen.tsx')),
    handle: { immersive: /[?&]feed=/ },
  },
  { path: paths.search.pattern, lazy: () => withSearch(import('./screens/SearchScreen.tsx')) },
  {
    path: paths.searchDetail.pattern,
    lazy: () => withSearch(import('./screens/SearchDetailScreen.tsx')),
  },
  {
    path: paths.video.pattern,
    lazy: () => withTexts('watch', import('./screens/VideoScreen.tsx')),
    handle: { immersive: /^/ },
  },
  {
    path: paths.shopping.pattern,
    lazy: () => withTexts('watch', import('./screens/ShoppingScreen.tsx')),
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
    lazy: () => withTexts('account', import('./screens/RetrievePasswordScreen.tsx')),
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
    lazy: () => withMine(import('./screens/IndividualScreen.tsx')),
  },
  { path: paths.my.pattern, lazy: () => withMine(import('./screens/MyScreen.tsx')) },
  ...texts.map(({ pattern }) => ({
    path: pattern,
    lazy: () => withTexts('pages', import('./screens/TextScreen.tsx')),
  })),
  { path: '*', lazy: () => import('./screens/NotFoundScreen.tsx') },
]

/**
 * Opens the screen of the document's address, and follows it from there. It is called once, by the site's own document: the
 * order form and the studio load this file with others.
 */
export function openRouter() {
  // The router remembers by this key how far a page was scrolled. Without one all documents would share the router's own, and a
  // newly opened page would start at another page's scroll position.
  if (!history.state?.key) history.replaceState({ ...history.state, key: String(Date.now()) }, '')
  const router = createBrowserRouter([
    {
      Component: Shell,
      ErrorBoundary: Shell,
      HydrateFallback: Shell,
      loader: enter,
      shouldRevalidate: ({ nextUrl }) => takeVisitParameters(new URL(nextUrl)) !== null,
      // A screen that breaks leaves the rest of the page standing.
      children: [{ ErrorBoundary: Failed, children: screens }],
    },
  ])
  router.subscribe(({ location: { pathname } }) => reportPath(pathname))
  // A file of the next screen is usually gone because a newer release replaced it: a fresh document names the right files.
  // Other failed imports are handled by their callers.
  let opened: unknown
  addEventListener('vite:preloadError', () => {
    const { location: to } = router.state.navigation
    // Several files of one screen may be gone: its document is asked for once.
    if (!to || to === opened || !navigator.onLine) return
    opened = to
    location.assign(to.pathname + to.search + to.hash)
  })
  return router
}
