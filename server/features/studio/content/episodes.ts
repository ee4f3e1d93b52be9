import * as contract from '#contract/studio/videos.ts'
import { loadAdminVideo } from '#server/features/catalog/catalog.ts'
import {
  editEpisode,
  listAdminEpisodes,
  loadAdminPlayback,
  editEpisodeTitles,
  reorderEpisodes,
  removeEpisode,
  retryEpisode,
} from '#server/features/media/media.ts'
import { transactionalCommand, readCommand, type Command } from '#server/features/studio/define-command.ts'

/** Commands for episodes: reorder, title, retry a failed file, remove. */
export const episodeCommands: Command[] = [
  readCommand(contract.listStudioEpisodes, async (context, { video_id }, { language }) => {
    await loadAdminVideo(context.db, video_id)
    return { data: { list: await listAdminEpisodes(context, context.db, video_id, language) } }
  }),

  readCommand(contract.getStudioPlayback, async (context, { id }) => ({
    info: await loadAdminPlayback(context, id),
  })),

  transactionalCommand(
    contract.reorderEpisodes,
    async (context, tx, { video_id, episode_ids }, { language }) => {
      await loadAdminVideo(tx, video_id, { lock: true })
      const before = await reorderEpisodes(tx, video_id, episode_ids)
      return {
        answer: { data: { list: await listAdminEpisodes(context, tx, video_id, language) } },
        change: { subject: video_id, before, after: episode_ids },
      }
    },
  ),

  transactionalCommand(contract.editEpisode, async (context, tx, { id, titles }, { language }) => {
    const { before, episode } = await editEpisode(context, tx, id, titles, language)
    const change = { subject: id, before: { titles: before }, after: { titles: episode.titles } }
    return { answer: { info: episode }, change }
  }),

  transactionalCommand(
    contract.setEpisodeTitles,
    async (context, tx, { video_id, episodes }, { language }) => {
      await loadAdminVideo(tx, video_id, { lock: true })
      const { before, after } = await editEpisodeTitles(tx, video_id, episodes)
      const hasChanged = Object.keys(after).length > 0
      return {
        answer: { data: { list: await listAdminEpisodes(context, tx, video_id, language) } },
        change: hasChanged ? { subject: video_id, before, after } : null,
      }
    },
  ),

  transactionalCommand(contract.retryEpisode, async (context, tx, { id }, { language }) => {
    const { reason, episode } = await retryEpisode(context, tx, id, language)
    const change = { subject: id, before: { state: 'failed', reason }, after: { state: episode.state } }
    return { answer: { info: episode }, change }
  }),

  transactionalCommand(contract.removeEpisode, async ({ clock }, tx, { id }) => {
    const { video_id, number, coming_name, coming_state } = await removeEpisode(tx, id, clock.now())
    const before = { video_id, number, file: coming_name, state: coming_state }
    return { answer: { info: { removed: true } }, change: { subject: id, before } }
  }),
]
