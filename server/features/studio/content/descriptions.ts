import type { ResultOf } from '#contract/endpoint.ts'
import { readDescription } from '#contract/studio/descriptions.ts'
import { readVideoYaml } from '#server/features/media/media.ts'
import { reads, type Command } from '#server/features/studio/command.ts'

/** Commands for the description among a season's files; `video edit` applies it. */
export const descriptionCommands: Command[] = [
  reads(readDescription, async (_context, { text }) => ({ info: await read(text) })),
]

async function read(text: string): Promise<ResultOf<typeof readDescription>> {
  try {
    const { titles, synopses, category, tags, badge, featured, ...rest } = await readVideoYaml(text)
    const { freeEpisodes: free_episodes, price, episodeTitles: episode_titles } = rest
    const money = {
      episode_cents: price.episodeCents,
      video_cents: price.videoCents,
      currency: price.currency,
    }
    const said = {
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
    return { description: said, mistake: null }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'DescriptionError') throw error
    return { description: null, mistake: error.message }
  }
}
