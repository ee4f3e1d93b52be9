import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { boundToUs } from '#scripts/run-child.mjs'
import type { BareServer } from '#bench/bare/start-bare-server.ts'
import { waitUntilReachable } from './start-bench-site.ts'

const port = 3913

/**
 * Starts an nginx of one process that serves the files of a folder. Returns undefined if nginx is not on the PATH.
 * `probe` is a file in the folder; requests for it show when nginx responds.
 */
export async function startNginx(
  files: string,
  home: string,
  probe: string,
): Promise<BareServer | undefined> {
  if (spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status !== 0) return undefined
  const prefix = join(home, 'nginx')
  mkdirSync(join(prefix, 'tmp'), { recursive: true })
  writeFileSync(join(prefix, 'nginx.conf'), configOf(files))
  const args = ['-p', prefix, '-c', 'nginx.conf', '-e', 'error.log']
  const server = spawn(...boundToUs('nginx', args), { stdio: ['ignore', 'ignore', 'inherit'] })
  const url = `http://localhost:${port}`
  await waitUntilReachable(`${url}/${probe}`, server)
  return {
    url,
    async close() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGTERM')
      await ended
    },
  }
}

/** nginx runs as one process, like Node, and as the current user, who can read the files. */
const configOf = (files: string) => `daemon off;
master_process off;
pid nginx.pid;
error_log error.log;
events { worker_connections 512; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path tmp;`).join(' ')}
  server { listen 127.0.0.1:${port}; root ${files}; }
}
`
