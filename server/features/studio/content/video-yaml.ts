import type { ResultOf } from '#contract/endpoint.ts'
import { parseVideoDescription } from '#contract/studio/video-descriptions.ts'
import { parseVideoYamlInThread } from '#server/features/media/media.ts'
import { readCommand, type Command } from '#server/features/studio/define-command.ts'

/** Commands for the video.yaml among a season's files. They only parse it; `video edit` applies its values. */
export const videoYamlCommands: Command[] = [
  readCommand(parseVideoDescription, async (_context, { text }) => ({ info: await parseVideoYaml(text) })),
]

async function parseVideoYaml(text: string): Promise<ResultOf<typeof parseVideoDescription>> {
  try {
    const { titles, synopses, category, tags, badge, featured, ...rest } = await parseVideoYamlInThread(text)
    const { freeEpisodes: free_episodes, price, episodeTitles: episode_titles } = rest
    const money = {
      episode_cents: price.episodeCents,
      video_cents: price.videoCents,
      currency: price.currency,
    }
    const parsedDescription = {
      titles,
      synopses,
      category,
      tags,
      badge,
      featured,
      free_episodes,
      ...money,
      episode_titles,
    }
    return { description: parsedDescription, error: null }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'DescriptionError') throw error
    return { description: null, error: error.message }
  }
}
