import { readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, type Manifest } from 'vite'
import budget from '#web/budget.json' with { type: 'json' }
import { readArguments } from '#scripts/read-arguments.mjs'
import { checkSizeBudget } from './check-size-budget.ts'
import { hlsChunks, preloadsOf, precacheManifest, scriptsOf } from './build-manifest.ts'

readArguments({ name: 'build', about: 'Builds the web pages.' })
const root = new URL('../..', import.meta.url).pathname
const output = join(root, 'dist/web')

await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })
const manifest: Manifest = JSON.parse(await readFile(join(output, '.vite/manifest.json'), 'utf8'))
await writeFile(join(output, 'preloads.json'), `${JSON.stringify(preloadsOf(manifest), null, 2)}\n`)
await finishDocument('index.html')
await finishDocument('order.html')
await finishDocument('studio.html')
// The service worker is built last, because it contains the list of the other files. The server inserts the release
// name.
await buildScript('service-worker/service-worker.ts', 'sw.js', {
  builtFiles: JSON.stringify(precacheManifest(manifest)),
})
// The server inserts this script into documents in which an episode plays at once.
await buildScript('play-first.ts', 'play-first.js', { hlsFiles: JSON.stringify(hlsChunks(manifest)) })
// The server inserts this script into all other documents.
await buildScript('reload-on-failure.ts', 'reload-on-failure.js')
await compressAll()
await checkBudget()

/** Builds a script as a single file without imports. */
async function buildScript(input: string, file: string, define: Record<string, string> = {}): Promise<void> {
  await build({
    configFile: false,
    root: join(root, 'web'),
    logLevel: 'warn',
    define,
    build: {
      outDir: output,
      emptyOutDir: false,
      copyPublicDir: false,
      target: 'es2022',
      rolldownOptions: {
        input: join(root, 'web', input),
        output: { format: 'iife', entryFileNames: file },
      },
    },
  })
}

/**
 * Adds preloads to a document, after its entry script. Sets its theme colour from the design tokens. The server
 * replaces `<!--preloads-->` by the route's scripts. The Latin font is preloaded because every screen uses it, so that
 * text rarely changes its font after it appears.
 */
async function finishDocument(document: string): Promise<void> {
  const font = Object.values(manifest).find(({ src }) => src?.endsWith('figtree-latin-wght-normal.woff2'))
  if (!font) throw new Error('the build contains no Latin font')
  const link = `<link rel="preload" href="/${font.file}" as="font" type="font/woff2" crossorigin>`
  const html = await readFile(join(output, document), 'utf8')
  const finished = html
    .replace('</head>', `  <!--preloads-->\n    ${link}\n  </head>`)
    .replace('__BACKGROUND__', await readBackground())
  await writeFile(join(output, document), finished)
}

async function readBackground(): Promise<string> {
  const tokens = await readFile(join(root, 'web/ui/tokens.css'), 'utf8')
  const [, colour] = /--background: (#[\da-f]{6});/.exec(tokens) ?? []
  if (!colour) throw new Error('web/ui/tokens.css has no --background')
  return colour
}

/**
 * Writes compressed files (.br and .gz) beside each script, style sheet and SVG. Documents are not compressed, because
 * the server changes them.
 */
async function compressAll(): Promise<void> {
  const files = await readdir(output, { recursive: true })
  await Promise.all(
    files.filter((file) => /\.(js|css|svg)$/.test(file)).map((file) => compress(join(output, file))),
  )
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file)
  await Promise.all([
    writeFile(`${file}.br`, await brotli(bytes)),
    writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 })),
  ])
}

function brotli(bytes: Buffer): Promise<Buffer> {
  return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
}

/** Compares the initial JavaScript of each route with the route's budget in web/budget.json. */
async function checkBudget(): Promise<void> {
  const sizeOf = async (file: string) => (await stat(join(output, `${file}.br`))).size
  const { rows, problems } = await checkSizeBudget(scriptsOf(manifest), budget.routes_kib, sizeOf)
  for (const row of rows) console.log(row)
  if (problems.length > 0)
    throw new Error(`web/budget.json is exceeded or incomplete: ${problems.join('; ')}`)
}
