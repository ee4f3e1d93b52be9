import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { boundToUs } from '#scripts/run-child.mjs'
import { waitUntil } from '#server/testing/wait-until.ts'
import { freePort } from '#server/testing/site/free-port.ts'

const patienceMs = 60_000

const configDir = join(import.meta.dirname, '..', 'nginx')

export interface NginxOptions {
  /** A configuration file in deploy/nginx. */
  config: 'cliffhanger.conf' | 'edge-cache.conf'
  /** Address of the site as `host:port`. */
  site: string
  /** Folder of the storage, for a configuration that sends files from it. */
  storage?: string
  secrets: readonly string[]
}

export interface Nginx {
  url: string
  /** Changes the secrets as an operator would: writes the file and reloads nginx. */
  changeSecrets(secrets: unknown): Promise<void>
  /** Returns nginx's access log so far. nginx logs a request after its response, so the last lines may be missing. */
  logs(): string
  /** Returns the files of the cache, each with its key and headers. */
  cachedFiles(): string[]
  close(): Promise<void>
}

/** Returns the path of Debian's njs module; undefined if the module or nginx is missing. */
export function findNjs(): string | undefined {
  const { stderr, status } = spawnSync('nginx', ['-V'], { encoding: 'utf8', timeout: 10_000 })
  const [, folder = ''] = /--modules-path=(\S+)/.exec(stderr ?? '') ?? []
  if (status !== 0 || folder === '') return undefined
  const name = 'ngx_http_js_module.so'
  return readdirSync(folder).includes(name) ? join(folder, name) : undefined
}

/**
 * Starts nginx with a configuration of deploy/nginx. Only addresses and folders in it are replaced. nginx runs one
 * worker as the current user.
 */
export async function startNginx(options: NginxOptions): Promise<Nginx> {
  const njs = findNjs()
  if (!njs) throw new Error('nginx or its njs module is not installed')
  const home = mkdtempSync(join(tmpdir(), 'cliffhanger-nginx-'))
  const port = await freePort()
  const secretsFile = join(home, 'media-secrets.json')
  const writeSecrets = (secrets: unknown) => writeFileSync(secretsFile, JSON.stringify(secrets))
  writeSecrets(options.secrets)
  for (const name of readdirSync(configDir)) {
    if (name.endsWith('.js')) copyFileSync(join(configDir, name), join(home, name))
    else
      writeFileSync(
        join(home, name),
        rewritePaths(readFileSync(join(configDir, name), 'utf8'), options, home, port),
      )
  }
  mkdirSync(join(home, 'tmp'))
  writeFileSync(join(home, 'nginx.conf'), mainConfig(njs, options.config, await asUser()))
  const args = ['-p', home, '-c', 'nginx.conf', '-e', 'error.log']
  const server = spawn(...boundToUs('nginx', args), { stdio: ['ignore', 'ignore', 'inherit'] })
  const url = `http://127.0.0.1:${port}`
  await waitUntilListening(url, () => server.exitCode !== null, join(home, 'error.log'))
  return {
    url,
    async changeSecrets(secrets) {
      writeSecrets(secrets)
      const before = workersOf(server.pid)
      server.kill('SIGHUP')
      const areWorkersReplaced = () => {
        const workers = workersOf(server.pid)
        return workers.length > 0 && workers.every((pid) => !before.includes(pid))
      }
      await waitUntil('nginx has new workers', areWorkersReplaced, patienceMs)
      // The old workers have closed their connections. `fetch` notices that when the event loop reads the sockets, so it
      // cannot reuse one. The current turn of the loop may have read them already.
      for (let turn = 0; turn < 2; turn += 1) await setImmediate()
    },
    logs: () => readFileSync(join(home, 'access.log'), 'utf8'),
    cachedFiles: () =>
      readdirSync(join(home, 'cache'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')),
    async close() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGTERM')
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Returns the configuration as an operator would edit it. @throws Error if a line that must be edited is missing */
function rewritePaths(
  text: string,
  { site, storage, config }: NginxOptions,
  home: string,
  port: number,
): string {
  const edits: [string, string][] = [
    ['/etc/nginx/cliffhanger/', `${home}/`],
    ['/var/log/nginx/', `${home}/`],
    ['/var/cache/nginx/cliffhanger', `${home}/cache`],
    ['/var/lib/cliffhanger/storage', storage ?? '/nonexistent'],
    ['server 127.0.0.1:3000;', `server ${site};`],
    ['listen 80;', `listen 127.0.0.1:${port};`],
  ]
  const edited = edits.reduce((all, [from, to]) => all.replaceAll(from, to), text)
  if (text.includes('js_import') && !edited.includes(`127.0.0.1:${port}`))
    throw new Error(`${config} has no listen directive`)
  return edited
}

/** The relevant lines of Debian's /etc/nginx/nginx.conf. */
const mainConfig = (njs: string, config: string, user: string) => `load_module ${njs};
daemon off;
${user}
worker_processes 1;
pid nginx.pid;
error_log error.log;
events { worker_connections 512; }
http {
  access_log access.log;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  default_type application/octet-stream;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path tmp;`).join(' ')}
  include ${config};
}
`

/** If the tests run as root, the worker stays root too, because another user could not read the tests' files. */
const asUser = async () => (process.getuid?.() === 0 ? 'user root;' : '')

function workersOf(pid: number | undefined): string[] {
  const list = spawnSync('ps', ['--ppid', String(pid), '-o', 'pid='], {
    encoding: 'utf8',
    timeout: patienceMs,
  })
  return list.stdout
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}

async function waitUntilListening(url: string, hasEnded: () => boolean, errors: string): Promise<void> {
  const isListening = () => {
    if (hasEnded()) throw new Error(`nginx exited: ${readFileSync(errors, 'utf8')}`)
    return fetch(url).then(
      () => true,
      () => false,
    )
  }
  await waitUntil('nginx listens', isListening, patienceMs)
}
