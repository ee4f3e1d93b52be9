import { installLighthouse, visitWithLighthouse, type LighthouseVisit } from './run-lighthouse.ts'
import { makeBenchContent } from '#bench/site/make-bench-content.ts'
import { importFolder, type BenchSite } from '#bench/site/start-bench-site.ts'
import { atLeastPoints, atMostMilliseconds, type Row } from '#bench/result-table.ts'
import { join } from 'node:path'

const visits = 5
const performanceAim = 95
const largestPaintAimMs = 2_500
const dramas = 11

/** Measures the bench's own site, after adding enough dramas for a typical homepage. */
export async function measureLighthouse(site: BenchSite): Promise<Row[]> {
  const folder = join(site.home, 'more-dramas')
  const small = { episodes: 1, seconds: 2 }
  for (let n = 1; n <= dramas; n++) makeBenchContent(folder, `bench-${n}`, site.ffmpeg.ffmpegPath, small)
  importFolder(folder, site.env)
  return measureWithLighthouse(site.url)
}

/**
 * Measures the homepage, a video's page and the plan page of a running site, five times each. The results are those of
 * the visit with the median performance score.
 */
export async function measureWithLighthouse(url: string): Promise<Row[]> {
  installLighthouse()
  const answer = await fetch(`${url}/api/homepage`)
  const { info } = (await answer.json()) as { info: { homepage: { items: { id: string }[] }[] } }
  const pages = { home: '/', video: `/videos/${info.homepage[0]?.items[0]?.id}`, plans: '/shopping' }
  const rows: Row[] = []
  for (const [name, path] of Object.entries(pages)) {
    const all: LighthouseVisit[] = []
    for (let visit = 0; visit < visits; visit++) all.push(await visitWithLighthouse(url + path))
    rows.push(...rowsOf(name, all))
  }
  return rows
}

function rowsOf(name: string, all: LighthouseVisit[]): Row[] {
  const middle = all.toSorted((a, b) => a.performance - b.performance)[Math.floor(all.length / 2)]
  if (!middle) return []
  const range = all.map(({ performance }) => performance).toSorted((a, b) => a - b)
  // `benchmark` is Lighthouse's index of the machine. Below 1000, Lighthouse considers the machine too slow or too busy
  // for valid results.
  const how = `${range.join(' ')}, blocked ${Math.round(middle.blockedMs)} ms, machine ${Math.round(middle.benchmark)}`
  return [
    atLeastPoints(`${name}: performance (${how})`, middle.performance, performanceAim),
    atLeastPoints(`${name}: accessibility`, middle.accessibility, 100),
    atLeastPoints(`${name}: best practices`, middle.bestPractices, 100),
    atLeastPoints(`${name}: search engines`, middle.seo, 100),
    ...(name === 'home'
      ? [atMostMilliseconds('home: largest paint', middle.largestPaintMs, largestPaintAimMs)]
      : []),
    { ...atLeastPoints(`${name}: layout shift`, middle.shift, 0), target: '0', ok: middle.shift === 0 },
  ]
}
