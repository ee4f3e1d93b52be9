import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findNode } from '#scripts/setup.mjs'

const root = join(import.meta.dirname, '..', '..')
/** Folder for temporary files on disk: the base system contains device files, which cannot be created in memory. */
const temporary = '/var/tmp'

export interface Image {
  /** Size of all layers of the image in bytes. */
  size: number
  /** The image's configuration, as `docker inspect` shows it. */
  config: { User: string; Cmd: string[]; StopSignal: string; Healthcheck: { Test: string[] }; Env: string[] }
  labels: Record<string, string>
  /** Runs a command in a new container with these environment variables. */
  start(command: string[], env: Record<string, string>): ChildProcessWithoutNullStreams
  /** Mounts the files of a container until `remove` is called. @returns the folder */
  mount(): string
  remove(): void
}

/** Builds the Dockerfile without downloading images. Its base images are Debian systems made by debootstrap. */
export function buildImage(): Image {
  const home = mkdtempSync(join(temporary, 'cliffhanger-image-'))
  const store = ['--root', join(home, 'storage'), '--runroot', join(home, 'run'), '--storage-driver', 'vfs']
  const env = { ...process.env, BUILDAH_ISOLATION: 'chroot', NODE_ENV: 'production' }
  const options = {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 1e8,
    stdio: 'pipe',
  } as const
  const run = (command: string, ...args: string[]) => execFileSync(command, args, options).trim()
  const buildah = (...args: string[]) => run('buildah', ...store, ...args)

  run('debootstrap', '--variant=minbase', 'bookworm', join(home, 'base'))
  removeDocs(join(home, 'base'))
  const debian = buildah('from', 'scratch')
  buildah('copy', '-q', debian, join(home, 'base'), '/')
  buildah('commit', '-q', debian, 'debian:bookworm-slim')
  buildah('copy', '-q', debian, findNode(), '/usr/local/bin/node')
  buildah('commit', '-q', '--rm', debian, 'node:24-bookworm-slim')
  rmSync(join(home, 'base'), { recursive: true })

  const context = join(home, 'context')
  mkdirSync(join(context, 'deploy'), { recursive: true })
  run(
    process.execPath,
    'scripts/with-setup.mjs',
    '--built',
    'scripts/release/make-release.ts',
    join(context, 'dist'),
  )
  for (const path of ['Dockerfile', '.dockerignore', 'deploy/image'])
    cpSync(join(root, path), join(context, path), { recursive: true })
  buildah(
    'build',
    '--quiet',
    '--format',
    'docker',
    '--pull=never',
    '--build-arg',
    'VERSION=1.2.3',
    '--tag',
    'cliffhanger',
    context,
  )

  const inspected = JSON.parse(buildah('inspect', '--type', 'image', 'cliffhanger'))
  const { layers }: { layers: { size: number }[] } = JSON.parse(inspected.Manifest)
  const { config } = JSON.parse(inspected.Config)
  return {
    size: layers.reduce((sum, { size }) => sum + size, 0),
    config,
    labels: config.Labels,
    start(command, settings) {
      const container = buildah('from', '--pull=never', 'cliffhanger')
      const envOptions = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`])
      return spawn('buildah', [...store, 'run', ...envOptions, container, '--', ...command], options)
    },
    mount: () => buildah('mount', buildah('from', '--pull=never', 'cliffhanger')),
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** Removes files from a base system that the official Debian image does not contain. */
function removeDocs(base: string): void {
  for (const path of [
    'usr/share/doc',
    'usr/share/man',
    'usr/share/locale',
    'usr/share/info',
    'var/cache/apt',
    'var/lib/apt/lists',
  ])
    rmSync(join(base, path), { recursive: true, force: true })
  for (const path of ['var/cache/apt/archives/partial', 'var/lib/apt/lists/partial'])
    mkdirSync(join(base, path), { recursive: true })
  writeFileSync(join(base, 'etc/dpkg/dpkg.cfg.d/docker-apt-speedup'), 'force-unsafe-io\n')
}
