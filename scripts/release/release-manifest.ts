/** The fields of a release's package.json. */
export interface Manifest {
  name: string
  version: string
  description: string
  license: string
  type: string
  private: boolean
  imports: Record<string, string>
  scripts: Record<string, string>
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  engines: Record<string, string>
}

/**
 * Packages with ffmpeg builds of 2018, which are too old to parse uploads safely. A release uses the machine's ffmpeg
 * instead.
 */
const oldFfmpeg = /^@(ffmpeg|ffprobe)-installer\//

/**
 * Creates a release's package.json from that of the checkout. Its dependencies are only packages that the released code
 * imports. Its npm scripts are only those whose files are released.
 */
export function releaseManifest(
  checkout: Manifest,
  files: readonly string[],
  imported: ReadonlySet<string>,
): Manifest {
  const releasedFiles = new Set(files)
  const folders = new Set(files.map((file) => file.split('/', 1)[0]))
  const { name, version, description, license, type, engines } = checkout
  return {
    name,
    version,
    private: true,
    description,
    license,
    type,
    imports: pick(checkout.imports, (_alias, target) => folders.has(target.split('/')[1])),
    scripts: pick(checkout.scripts, (_script, command) => runsReleasedFiles(command, releasedFiles)),
    dependencies: pick(checkout.dependencies, (name) => imported.has(name)),
    optionalDependencies: pick(checkout.optionalDependencies, (name) => !oldFfmpeg.test(name)),
    engines,
  }
}

function runsReleasedFiles(command: string, has: ReadonlySet<string>): boolean {
  const files = command.split(' ').filter((word) => /\.(mjs|ts)$/.test(word))
  return files.length > 0 && files.every((file) => has.has(file))
}

/** Returns the names of the packages that a TypeScript source imports or resolves. */
export function packagesIn(source: string): string[] {
  const specifiers = source.matchAll(
    /(?:from|import|resolve)[\s(]*'((?:@[\w-]+\/)?[a-z][\w.-]*)(?:\/[^']*)?'/g,
  )
  return [...specifiers].map(([, name = '']) => name)
}

function pick(
  record: Record<string, string>,
  isWanted: (name: string, value: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(record).filter(([name, value]) => isWanted(name, value)))
}
