import { execFile } from 'node:child_process'
import type { Page } from '@playwright/test'
import type { Episode } from '#contract/media.ts'
import { expect } from '#e2e/support/fixtures.ts'
import { currentSite } from '#e2e/site/site-server.ts'
import { commonSettings } from '#e2e/site/templates.ts'
import { siteUrl } from '#e2e/support/site-url.ts'

/** Timeout of the conversion in milliseconds, for a busy machine. */
export const conversionTimeoutMs = 600_000

/** Returns the `video.yaml` of a drama whose episodes are all free. */
export const describe = (title: string) => `title: { en: ${title} }
synopsis: { en: Films that flash and beep on whole seconds. }
category: tests
free_episodes: 50
price: { currency: USD, episode_cents: 99, video_cents: 999 }
`

/** Imports a folder with the operator's command, in a separate process. @returns its output */
export function importFolder(folder: string): Promise<string> {
  const { dataDir, databaseUrl } = currentSite()
  const env = { ...process.env, ...commonSettings, DATABASE_URL: databaseUrl, DATA_DIR: dataDir }
  // Ignores the exit status, which is 1 if a file was refused: the output lists such files.
  return new Promise((resolve) => {
    execFile(process.execPath, ['server/cli.ts', 'import', folder], { env }, (_error, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
}

/** Returns the id of the drama with this title. */
export async function findVideo(title: string): Promise<string> {
  const answer = await fetch(`${siteUrl}/api/homepage/query?keyword=${encodeURIComponent(title)}`)
  const { data } = (await answer.json()) as { data: { list: { id: string }[] } }
  return String(data.list[0]?.id)
}

/** Waits until all episodes of a video are converted, and returns them. */
export async function episodesOf(page: Page, videoId: string): Promise<Episode[]> {
  let list: Episode[] = []
  const isConverted = async () => {
    const answer = await page.request.get(`${siteUrl}/api/video/episode?video_id=${videoId}`)
    list = ((await answer.json()) as { data?: { list: Episode[] } }).data?.list ?? []
    return list.length > 0 && list.every(({ ready }) => ready)
  }
  await expect
    .poll(isConverted, { message: 'all episodes are converted', timeout: conversionTimeoutMs })
    .toBe(true)
  return list
}
