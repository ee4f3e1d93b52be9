import { rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'vite'

/** The files that processes are started from, without their extension. */
const processes = ['main', 'worker', 'cli', 'migrate', 'show-config']

/**
 * Packages of hundreds of small modules, which take longer to load than all other packages together. The other packages
 * stay outside, because tracing patches some, and some read files of their own folder.
 */
const bundledPackages = ['kysely', 'typebox']

/** Folder of the bundle in a release. */
const bundleFolder = 'server/bundle'

/** Sources that the server reads as files, because it sends them to browsers. */
const readAsFile = /\.browser\.ts$/

/**
 * Replaces the TypeScript of a staged release by a bundle of a few JavaScript files, which loads in a third of the time.
 * The files that a process or a thread starts from stay where they are and import the bundle.
 * @param root the folder with the sources
 * @param folder the staged release
 * @param files the paths of its files
 */
export async function bundleServer(root: string, folder: string, files: readonly string[]): Promise<void> {
  const entries = new Set(processes.map((name) => `server/${name}.ts`))
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [keepOwnPaths(root, entries)],
    ssr: { noExternal: bundledPackages },
    build: {
      ssr: true,
      outDir: join(folder, bundleFolder),
      target: 'node24',
      minify: false,
      copyPublicDir: false,
      rolldownOptions: {
        input: Object.fromEntries([...entries].map((entry) => [bundleName(entry), join(root, entry)])),
        output: { entryFileNames: '[name].js', chunkFileNames: 'chunk-[name].js' },
      },
    },
  })
  for (const file of files)
    if (/^(contract|demo|server)\/.*\.ts$/.test(file) && !readAsFile.test(file)) await rm(join(folder, file))
  for (const entry of entries) {
    const bundle = relative(dirname(entry), join(bundleFolder, `${bundleName(entry)}.js`))
    await writeFile(join(folder, entry), `export * from '${bundle.startsWith('.') ? bundle : `./${bundle}`}'\n`)
  }
}

const bundleName = (entry: string) => entry.replace(/^server\//, '').replace(/\.ts$/, '').replaceAll('/', '-')

/**
 * Makes `import.meta.dirname` and `import.meta.url` of each module name the place of its source, because modules read
 * files beside them. A module that is named by its URL runs in a thread, and becomes an entry of its own.
 * @param entries the paths of entries, to which those of threads are added
 */
function keepOwnPaths(root: string, entries: Set<string>): Plugin {
  return {
    name: 'keep-own-paths',
    transform: {
      order: 'pre',
      handler(code, id) {
        const path = relative(root, id)
        if (path.startsWith('node_modules') || path.startsWith('..') || !code.includes('import.meta')) return
        for (const [, module = ''] of code.matchAll(/new URL\('(\.[^']*\.ts)', import\.meta\.url\)/g)) {
          const entry = join(dirname(path), module)
          entries.add(entry)
          this.emitFile({ type: 'chunk', id: join(root, entry), fileName: `${bundleName(entry)}.js` })
        }
        const here = relative(bundleFolder, path)
        return code
          .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${dirname(here)}')`)
          .replaceAll('import.meta.url', `new URL('${here}', import.meta.url).href`)
      },
    },
  }
}
