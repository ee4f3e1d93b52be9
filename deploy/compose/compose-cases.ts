import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manifestFile } from '#server/cli/backup.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { startCompose, type ImageContents, type RunningCompose, type RunningService } from './run-compose.ts'

const patienceMs = 120_000
const stopsWithinMs = 10_000
const clients = 4
const minRequests = 20
/** A local domain. Caddy creates its certificate itself. */
const domain = 'drama.localhost'
const values = { DOMAIN: domain, SITE_NAME: 'My Dramas', COMPOSE_PROFILES: 's3,observability' }

interface Targets {
  data: { activeTargets: { scrapeUrl: string; health: string }[] }
}

/**
 * Defines tests that run the services of compose.yaml with their unmodified settings. The site runs from the built image.
 * Debian's programs replace the third-party images.
 */
export function composeCases(contentsOf: () => ImageContents): void {
  describe('compose.yaml', () => {
    let compose: RunningCompose
    const started: Record<string, RunningService> = {}
    const start = (name: string) => (started[name] = compose.start(name))
    const requestSite = (path: string, ...options: string[]) =>
      compose.request(
        `https://${domain}${path}`,
        '-k',
        '--resolve',
        `${domain}:443:${compose.addressOf('proxy')}`,
        ...options,
      )
    const isResponding = (request: () => Promise<string>) =>
      request().then(
        () => true,
        () => false,
      )
    /** Waits for a condition. If it stays false, throws an error with the service's output. */
    const waitFor = async (description: string, name: string, condition: () => Promise<boolean>) => {
      await waitUntil(description, condition, patienceMs).catch((error: unknown) => {
        throw new Error(started[name]?.output() ?? '', { cause: error })
      })
    }

    beforeAll(async () => {
      compose = await startCompose(contentsOf(), values)
    })
    afterAll(() => compose?.close())

    it('migrate migrates the database and exits', async () => {
      start('database')
      const { ended, output } = compose.start('migrate')
      expect(await ended, output()).toBe(0)
    })

    it('web and worker start, and the proxy responds with a certificate', async () => {
      for (const name of ['web', 'worker', 'proxy']) start(name)
      await waitFor('the site answers through the proxy', 'web', () =>
        isResponding(() => requestSite('/api/ready')),
      )
      expect(await requestSite('/')).toContain('<title>My Dramas')
      expect(await requestSite('/', '-D', '-', '-o', '/dev/null')).toMatch(/strict-transport-security/i)
    })

    it('the proxy forwards requests for the bucket to s3, without cookies', async () => {
      start('s3')
      const path = '/store/media/ein%20(1).m4s?X-Amz-Signature=1'
      const request = () => requestSite(path, '-i', '-H', 'Cookie: session=1')
      await waitFor('s3 answers through the proxy', 's3', () => isResponding(request))
      const [headers = '', body = ''] = (await request()).split('\r\n\r\n')
      expect(headers).toMatch(/content-security-policy: default-src 'none'; sandbox/i)
      const received: { url: string; headers: Record<string, string> } = JSON.parse(body)
      expect(received).toMatchObject({ url: path, headers: { host: domain } })
      expect(received.headers).not.toHaveProperty('cookie')
    })

    it('a service can write only to its volume and /tmp', async () => {
      const script =
        'for f in /app/x /usr/x /etc/x /home/x /secrets/x; do touch $f 2>/dev/null && echo $f; done; touch /data/x /tmp/x && echo written'
      const { ended, output } = compose.start('web', ['sh', '-c', script])
      expect(await ended, output()).toBe(0)
      expect(output()).toBe('written\n')
    })

    it("the operator's command prints a link to the studio", async () => {
      const add = compose.start('web', ['cliffhanger', 'studio', 'operator', 'add', 'you@drama.example'])
      expect(await add.ended, add.output()).toBe(0)
      expect(add.output()).toContain(`https://${domain}/studio`)
    })

    it('backup writes a backup into its volume', async () => {
      start('backup')
      const manifest = join(compose.volume('backup'), manifestFile)
      await waitFor('the backup is complete', 'backup', async () => existsSync(manifest))
      await started['backup']?.stop()
    })

    it('Prometheus scrapes web and worker, and finds Alertmanager', async () => {
      for (const name of ['alertmanager', 'prometheus']) start(name)
      const at = `http://${compose.addressOf('prometheus')}:9090/api/v1`
      const isUp = async () => {
        const { data }: Targets = JSON.parse(
          await compose.request(`${at}/targets`).catch(() => '{"data":{"activeTargets":[]}}'),
        )
        return data.activeTargets.length === 2 && data.activeTargets.every(({ health }) => health === 'up')
      }
      await waitFor('Prometheus scrapes web and worker', 'prometheus', isUp)
      await waitFor('Prometheus finds Alertmanager', 'prometheus', async () =>
        (await compose.request(`${at}/alertmanagers`)).includes('alertmanager:9093'),
      )
      await waitFor('Alertmanager is ready', 'alertmanager', () =>
        isResponding(() => compose.request(`http://${compose.addressOf('alertmanager')}:9093/-/ready`)),
      )
    })

    it('no request fails while web is replaced behind the proxy', async () => {
      const failures: string[] = []
      let [requestCount, isDone] = [0, false]
      // The proxy delays the requests that arrive while the service is down, so these requests do not fail.
      const sendRequests = async () => {
        for (; !isDone || requestCount < minRequests; requestCount++)
          await requestSite('/api/homepage').catch((error: unknown) => failures.push(String(error)))
      }
      const clientsDone = Promise.all(Array.from({ length: clients }, sendRequests))
      expect(await started['web']?.stop()).toBe(0)
      start('web')
      await waitFor('the site is back', 'web', () => isResponding(() => requestSite('/api/ready')))
      isDone = true
      await clientsDone
      expect(failures).toEqual([])
    })

    it('web and worker exit normally within 10 s of SIGTERM', async () => {
      const startedAt = Date.now()
      const exitCodes = await Promise.all(['web', 'worker'].map((name) => started[name]?.stop()))
      expect(exitCodes).toEqual([0, 0])
      expect(Date.now() - startedAt).toBeLessThan(stopsWithinMs)
    })
  })
}
