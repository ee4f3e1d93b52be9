import { statSync } from 'node:fs'
import { join } from 'node:path'
import { compareLoad } from './load.ts'
import { startBare } from './start-bare.ts'
import type { BenchSite } from './start-bench-site.ts'
import { startNginx } from './start-nginx.ts'
import { atLeast, type Row } from './table.ts'
import { findFilm } from './visitor.ts'

const aim = 0.7

/** The first whole segment (2 s) of the largest rung. */
const segment = 'v0/00001.m4s'

/** Bytes per second of a segment behind a pass, against a bare Fastify that sends files and, where there is one, nginx. */
export async function measureSegments(site: BenchSite): Promise<Row[]> {
  const { hlsUrl, asset } = await findFilm(site)
  const files = join(site.dataDir, 'storage/media', asset)
  const megabytes = statSync(join(files, segment)).size / 1e6
  const ours = { urls: [`${site.url}${hlsUrl.replace('master.m3u8', segment)}`] }
  const compare = async (what: string, url: string) => {
    const result = await compareLoad(ours, { urls: [url] })
    return atLeast(
      `segment of ${Math.round(megabytes * 1000)} kB, against ${what}`,
      result.ours * megabytes,
      result.bare * megabytes,
      aim,
      'MB/s',
    )
  }
  const bare = await startBare({ answers: [], files, connection: site.connection })
  const nginx = await startNginx(files, site.home, segment)
  try {
    const rows = [await compare('bare Fastify', `${bare.url}/files/${segment}`)]
    if (nginx) rows.push(await compare('nginx', `${nginx.url}/${segment}`))
    return rows
  } finally {
    await bare.close()
    await nginx?.close()
  }
}
