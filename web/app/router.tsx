import { createBrowserRouter, replace } from 'react-router'
import { bringTexts } from '#web/i18n/index.ts'
import type { TextPart } from '#web/i18n/texts.ts'
import { paths } from '#web/lib/paths.ts'
import { takeVisitParameters } from '#web/lib/visit.ts'
import { NotFound } from './NotFound.tsx'
import { Shell } from './Shell.tsx'

/** Runs before each navigation: stores the visit's parameters and takes them out of the address. */
function enter({ request }: { request: Request }) {
  const cleaned = takeVisitParameters(new URL(request.url))
  return cleaned ? replace(cleaned) : null
}

/** A screen together with the texts it brings along. */
async function withTexts<Screen>(part: TextPart, screen: Promise<Screen>): Promise<Screen> {
  const [loaded] = await Promise.all([screen, bringTexts(part)])
  return loaded
}

export const router = createBrowserRouter([
  {
    Component: Shell,
    ErrorBoundary: Shell,
    HydrateFallback: Shell,
    loader: enter,
    shouldRevalidate: ({ nextUrl }) => takeVisitParameters(new URL(nextUrl)) !== null,
    children: [
      { path: paths.home.pattern, lazy: () => import('./screens/HomeScreen.tsx') },
      { path: paths.browse.pattern, lazy: () => import('./screens/BrowseScreen.tsx') },
      { path: paths.more.pattern, lazy: () => import('./screens/MoreScreen.tsx') },
      { path: paths.search.pattern, lazy: () => import('./screens/SearchScreen.tsx') },
      {
        path: paths.video.pattern,
        lazy: () => withTexts('watch', import('./screens/VideoScreen.tsx')),
        handle: { immersive: true },
      },
      {
        path: paths.shopping.pattern,
        lazy: () => withTexts('watch', import('./screens/ShoppingScreen.tsx')),
      },
      {
        path: paths.orderResult.pattern,
        lazy: () => withTexts('watch', import('./screens/OrderResultScreen.tsx')),
      },
      { path: '*', Component: NotFound },
    ],
  },
])
