import type { PushMessage } from '#contract/alerts.ts'
import { htmlLanguage, inLanguage, keptLanguage, type OfferedLanguages } from '#contract/languages.ts'
import { presentCover } from '#server/features/catalog/catalog.ts'
import type { translate } from '#server/i18n/translate.ts'
import type { DuePush } from './push-queries.ts'

/** Builds the notification's texts and address in the user's language. */
export function writePush(
  push: Pick<
    DuePush,
    'video_id' | 'number' | 'count' | 'titles' | 'language' | 'cover_path' | 'cover_color' | 'language_covers'
  >,
  offered: OfferedLanguages,
  words: typeof translate,
): PushMessage {
  const { video_id, number, count, titles } = push
  const language = keptLanguage(push.language, offered)
  return {
    title: inLanguage(titles, language),
    body: words(language, count === 1 ? 'push.newEpisode' : 'push.newEpisodes', { count }),
    lang: htmlLanguage[language],
    icon: presentCover(push, language).cover_url,
    url: `/videos/${video_id}?episode=${number}`,
    tag: video_id,
  }
}
