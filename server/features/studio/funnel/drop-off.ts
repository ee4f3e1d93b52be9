import { Refusal } from '#contract/errors.ts'
import { textInLanguage } from '#contract/languages.ts'
import { listDropOff } from '#contract/studio/funnel.ts'
import { loadEpisodeViewers } from '#server/features/library/library.ts'
import { cutPage, decodeCursor, encodeCursor, choosePageSize } from '#server/platform/cursor.ts'
import { readCommand, type Command } from '#server/features/studio/define-command.ts'
import { selectTitles } from './funnel-queries.ts'

/** Default and maximum page size. Few videos have more episodes, so one page is usually enough for the chart. */
const limits = { default: 200, max: 200 }

/** Commands that show at which episode a video's viewers stop. */
export const dropOffCommands: Command[] = [
  readCommand(listDropOff, async ({ db }, { video_id, cursor, limit }, { language }) => {
    const name = `dropoff ${video_id}`
    const [after] = decodeCursor(name, cursor, ['integer']) ?? [0]
    const size = choosePageSize(limit, limits)
    const [titles, rows] = await Promise.all([
      selectTitles(db, [video_id]),
      loadEpisodeViewers(db, video_id, { after, limit: size + 1 }),
    ])
    const texts = titles.get(video_id)
    if (!texts) throw new Refusal('notFound')
    const { page, last } = cutPage(rows, size)
    const times = page.flatMap(({ since }) => (since ? [since.getTime()] : []))
    return {
      data: {
        list: page.map(({ since: _since, ...counts }) => counts),
        next_cursor: last ? encodeCursor(name, [last.number]) : null,
        title: textInLanguage(texts, language),
        since: times.length > 0 ? new Date(Math.min(...times)).toISOString() : null,
      },
    }
  }),
]
