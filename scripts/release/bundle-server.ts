import { writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin, type Rolldown } from 'vite'

/** The files that processes are started from: `server/<name>.ts`. */
const processes = ['main', 'worker', 'cli', 'migrate', 'show-config']
const processFiles = new Set(processes.map((name) => `server/${name}.ts`))

/**
 * The bundled packages, and the folder of their code. They have hundreds of small modules, which take longer to load
 * than all other packages together. The other packages are not bundled: tracing patches some of them, and some read
 * files of their folder.
 */
export const bundledPackages = { kysely: 'dist', typebox: 'build' }

const bundleFolder = 'server/bundle'

/**
 * Returns true if a release contains the code of a file only in its bundle. Sources for browsers (`.browser.ts`) are
 * not bundled, because the server reads them as files.
 * @param file a path relative to the checkout
 */
export function isBundled(file: string): boolean {
  return /^(contract|demo|server)\/.*(?<!\.browser)\.ts$/.test(file) && !processFiles.has(file)
}

/**
 * Bundles the server into a few JavaScript files, which load in a third of the time. The files that processes are
 * started from keep their paths and import the bundle.
 * @param root the folder with the sources
 * @param folder the staged release, which already has its other files
 * @throws Error if a module finds files in a way that would fail in the bundle
 */
export async function bundleServer(root: string, folder: string): Promise<void> {
  const output = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [keepPaths(root)],
    ssr: { noExternal: Object.keys(bundledPackages) },
    build: {
      ssr: true,
      outDir: join(folder, bundleFolder),
      target: 'node22',
      minify: false,
      copyPublicDir: false,
      rolldownOptions: {
        input: Object.fromEntries(processes.map((name) => [name, join(root, `server/${name}.ts`)])),
        output: { entryFileNames: '[name].js', chunkFileNames: 'chunk-[name].js' },
      },
    },
  })
  // The cast is safe: there is one output format, and no watch mode.
  checkImports(output as Rolldown.RolldownOutput)
  for (const name of processes)
    await writeFile(join(folder, `server/${name}.ts`), `import './bundle/${name}.js'\n`)
}

/** @throws Error if the bundle imports a package whose code the release leaves out */
function checkImports({ output }: Rolldown.RolldownOutput): void {
  for (const file of output) {
    if (file.type !== 'chunk') continue
    const missing = [...file.imports, ...file.dynamicImports].find((name) =>
      Object.hasOwn(bundledPackages, name.split('/', 1)[0] ?? ''),
    )
    if (missing !== undefined) throw new Error(`${file.fileName} of the bundle imports ${missing}`)
  }
}

/** Lets bundled modules find the files beside their sources, and the modules that they run in threads. */
function keepPaths(root: string): Plugin {
  return {
    name: 'keep-paths',
    transform: {
      order: 'pre',
      handler(code, id) {
        const path = relative(root, id)
        if (/^(\.\.|node_modules)/.test(path) || !code.includes('import.meta')) return
        return replacePaths(code, path, (module) => {
          const fileName = `${module
            .replace(/^server\//, '')
            .replace(/\.ts$/, '')
            .replaceAll('/', '-')}.js`
          this.emitFile({ type: 'chunk', id: join(root, module), fileName })
          return fileName
        })
      },
    },
  }
}

/**
 * Makes `import.meta` of a module work in the bundle. `import.meta.dirname` and `import.meta.url` become expressions
 * for the place of its source. URLs of other modules become URLs of their files in the bundle.
 * @param path the module's path in the checkout
 * @param addToBundle adds the module at a path of the checkout, and returns the name of its file in the bundle
 * @throws Error if the code uses `import.meta` in an unsupported way
 */
export function replacePaths(code: string, path: string, addToBundle: (module: string) => string): string {
  const here = relative(bundleFolder, path)
  return code
    .replaceAll(
      /new URL\(\s*'(\.[^']*\.m?ts)',\s*import\.meta\.url\s*\)/g,
      (_, module: string) => `new URL('./${addToBundle(join(dirname(path), module))}', import.meta['url'])`,
    )
    .replaceAll(/import\.meta\.(\w+)(\('[^'.])?/g, (found, name: string, argument: string | undefined) => {
      if (name === 'dirname') return `(import.meta['dirname'] + '/${dirname(here)}')`
      if (name === 'url') return `new URL('${here}', import.meta['url']).href`
      // Resolving a package has the same result everywhere in the release.
      if (name === 'resolve' && argument !== undefined) return found
      throw new Error(`${path} uses ${found}, which would fail in a release (bundle-server.ts)`)
    })
    .replaceAll(/import\.meta\['(\w+)'\]/g, 'import.meta.$1')
}
