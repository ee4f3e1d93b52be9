import { statSync } from 'node:fs'
import { join } from 'node:path'
import { findNjs, startNginx as startCheckingNginx } from '#deploy/testing/run-nginx.ts'
import { compareLoad } from './compare-load.ts'
import { startBareServer } from '#bench/bare/start-bare-server.ts'
import { mediaSecret, type BenchSite } from '#bench/site/start-bench-site.ts'
import { startNginx } from '#bench/site/start-nginx.ts'
import { atLeast, type Row } from '#bench/result-table.ts'
import { findBenchEpisode } from '#bench/site/bench-guests.ts'

const target = 0.7
const nginxTarget = 0.8
/** Minimum ratio of nginx with the signature check to nginx without it. */
const checkedTarget = 0.95

/** The first complete segment (2 s) of the largest rendition. */
const segment = 'v0/00001.m4s'

/**
 * Measures the bytes per second of a segment with a signed URL. Compares the site with a bare Fastify that sends files
 * and, if installed, with nginx. If nginx has njs, also compares nginx with and without the signature check.
 */
export async function measureSegments(site: BenchSite): Promise<Row[]> {
  const { hlsUrl, asset } = await findBenchEpisode(site)
  const files = join(site.dataDir, 'storage/media', asset)
  const megabytes = statSync(join(files, segment)).size / 1e6
  const path = hlsUrl.replace('master.m3u8', segment)
  const compare = async (what: string, ours: string, bare: string, min = target) => {
    const result = await compareLoad({ urls: [ours + path] }, { urls: [bare] })
    const name = `segment of ${Math.round(megabytes * 1000)} kB, ${what}`
    return atLeast(name, result.ours * megabytes, result.bare * megabytes, min, 'MB/s')
  }
  const bare = await startBareServer({ answers: [], files, connection: site.connection })
  const nginx = await startNginx(files, site.home, segment)
  const checking = nginx && findNjs() ? await startChecking(site) : undefined
  try {
    const rows = [await compare('against bare Fastify', site.url, `${bare.url}/files/${segment}`)]
    if (nginx) rows.push(await compare('against nginx', site.url, `${nginx.url}/${segment}`, nginxTarget))
    if (nginx && checking)
      rows.push(
        await compare(
          'nginx with the signature check, compared with nginx without it',
          checking.url,
          `${nginx.url}/${segment}`,
          checkedTarget,
        ),
      )
    return rows
  } finally {
    await bare.close()
    await nginx?.close()
    await checking?.close()
  }
}

/** Starts nginx with the configuration that operators use. */
function startChecking({ url, dataDir }: BenchSite) {
  return startCheckingNginx({
    config: 'cliffhanger.conf',
    site: new URL(url).host,
    storage: join(dataDir, 'storage'),
    secrets: [mediaSecret],
  })
}
