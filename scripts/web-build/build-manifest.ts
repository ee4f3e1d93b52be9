import type { Manifest, ManifestChunk } from 'vite'

/**
 * The screens of each route, by the route's pattern; `*` is every other path. The server adds their files to the
 * document.
 */
const screens: Record<string, string[]> = {
  '/': ['app/screens/HomeScreen.tsx'],
  '/browse/:id': ['app/screens/BrowseScreen.tsx'],
  '/more/:id': ['app/screens/MoreScreen.tsx'],
  '/search': ['app/screens/SearchScreen.tsx'],
  '/searchDetail/:id': ['app/screens/SearchDetailScreen.tsx'],
  '/videos/:id': ['player/engine/stream.ts', 'app/screens/VideoScreen.tsx'],
  '/individual': ['app/screens/AccountSettingsScreen.tsx'],
  '/my': ['app/screens/MemberAreaScreen.tsx'],
  '/login': ['app/screens/SignInScreen.tsx'],
  '/register': ['app/screens/RegisterScreen.tsx'],
  '/retrievePassword': ['app/screens/ResetPasswordScreen.tsx'],
  '/favorites': ['app/screens/FavoritesScreen.tsx'],
  '/historys': ['app/screens/HistoryScreen.tsx'],
  '/unlocked': ['app/screens/UnlockedScreen.tsx'],
  '/shopping': ['app/screens/PlansScreen.tsx'],
  '/serviceAgreement': ['app/screens/TextScreen.tsx'],
  '/privacyPolicy': ['app/screens/TextScreen.tsx'],
  '/refundPolicy': ['app/screens/TextScreen.tsx'],
  '/contentPolicy': ['app/screens/TextScreen.tsx'],
  '/commonQuestions': ['app/screens/TextScreen.tsx'],
  '/contactUs': ['app/screens/TextScreen.tsx'],
  '/order/result': ['app/screens/OrderResultScreen.tsx'],
  '/offline': [],
  '*': ['app/screens/NotFoundScreen.tsx'],
}

/**
 * Returns the chunks of the modules without duplicates, each after its static imports.
 * @throws Error if the build does not contain a module
 */
export function chunksOf(manifest: Manifest, modules: string[]): ManifestChunk[] {
  const seen = new Set<string>()
  const found: ManifestChunk[] = []
  const add = (key: string) => {
    if (seen.has(key)) return
    seen.add(key)
    const chunk = manifest[key]
    if (!chunk) throw new Error(`the build contains no ${key}`)
    chunk.imports?.forEach(add)
    found.push(chunk)
  }
  modules.forEach(add)
  return found
}

function javascriptOf(chunks: ManifestChunk[]): string[] {
  return [...new Set(chunks.map(({ file }) => file))].filter((file) => file.endsWith('.js'))
}

/** Returns the initial scripts of each route, by its pattern; `*` is every other path. */
export function scriptsOf(manifest: Manifest): Record<string, string[]> {
  const inIndex = Object.entries(screens).map(([route, modules]): [string, string[]] => [
    route,
    javascriptOf(chunksOf(manifest, ['index.html', 'app/start.tsx', ...modules])),
  ])
  return {
    ...Object.fromEntries(inIndex),
    '/order/easy': javascriptOf(chunksOf(manifest, ['order.html'])),
  }
}

/**
 * Returns the files that are added to each route's document besides the entry: style sheets, which are inlined, and
 * scripts for `rel=modulepreload`. They are paths from the root. `/order/easy` has none, because its document is
 * order.html.
 */
export function preloadsOf(manifest: Manifest): Record<string, string[]> {
  const inDocument = new Set(chunksOf(manifest, ['index.html']).flatMap(filesOf))
  const forRoute = (modules: string[]) => {
    // The style sheet of a screen is last, so that its rules override the others.
    const styles = chunksOf(manifest, ['app/start.tsx', ...modules]).flatMap(({ css = [] }) => css)
    // The scripts of a screen precede those of the interface, because the screen's scripts start the slowest requests,
    // such as the stream.
    const scripts = javascriptOf(chunksOf(manifest, [...modules, 'app/start.tsx']))
    const files = new Set([...styles, ...scripts])
    return [...files].filter((file) => !inDocument.has(file)).map((file) => `/${file}`)
  }
  return Object.fromEntries(Object.entries(screens).map(([route, modules]) => [route, forRoute(modules)]))
}

/** Returns the files of hls.js as paths from the root, for browsers that start playback with it. */
export function hlsChunks(manifest: Manifest): string[] {
  const before = new Set(
    chunksOf(manifest, ['index.html', 'player/engine/stream.ts']).map(({ file }) => file),
  )
  return javascriptOf(chunksOf(manifest, ['player/engine/hls-player.ts']))
    .filter((file) => !before.has(file))
    .map((file) => `/${file}`)
}

/** Large chunks that only some pages need. The service worker caches them when they are first used. */
const cachedOnUse = ['hls', 'start-error-reporting', 'order']

/** Returns all files that documents for viewers may load. Files that only the studio uses are not included. */
function listViewerFiles(manifest: Manifest): string[] {
  const seen = new Set<string>()
  const files = new Set<string>()
  const add = (key: string) => {
    const chunk = manifest[key]
    if (!chunk || seen.has(key)) return
    seen.add(key)
    for (const file of [...filesOf(chunk), ...(chunk.assets ?? [])]) files.add(file)
    for (const next of [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])]) add(next)
  }
  add('index.html')
  add('order.html')
  return [...files]
}

/** Returns the files of the build that the service worker caches, as paths from the root. */
export function precacheManifest(manifest: Manifest): { entry: string; shell: string[]; onUse: string[] } {
  const entry = chunksOf(manifest, ['index.html']).at(-1)
  const every = listViewerFiles(manifest)
  const chunks = Object.values(manifest).filter(({ name = '' }) => cachedOnUse.includes(name))
  const cachedOnUseFiles = [...new Set(chunks.flatMap(filesOf))]
  const asPath = (file: string) => `/${file}`
  return {
    entry: `/${entry?.file}`,
    shell: every.filter((file) => !cachedOnUseFiles.includes(file)).map(asPath),
    onUse: cachedOnUseFiles.map(asPath),
  }
}

const filesOf = ({ file, css = [] }: ManifestChunk) => [...css, file]
