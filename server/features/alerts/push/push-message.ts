import type { PushMessage } from '#contract/alerts.ts'
import {
  bcp47Tags,
  textInLanguage,
  storedLanguageOrDefault,
  type OfferedLanguages,
} from '#contract/languages.ts'
import { presentCover } from '#server/features/catalog/catalog.ts'
import type { translate } from '#server/i18n/translate.ts'
import type { DuePush } from './push-queries.ts'

/** Builds a notification in the user's language: its texts, icon and address. */
export function buildPushMessage(
  push: Pick<
    DuePush,
    'video_id' | 'number' | 'count' | 'titles' | 'language' | 'cover_path' | 'cover_color' | 'language_covers'
  >,
  offered: OfferedLanguages,
  translateText: typeof translate,
): PushMessage {
  const { video_id, number, count, titles } = push
  const language = storedLanguageOrDefault(push.language, offered)
  return {
    title: textInLanguage(titles, language),
    body: translateText(language, count === 1 ? 'push.newEpisode' : 'push.newEpisodes', { count }),
    lang: bcp47Tags[language],
    icon: presentCover(push, language).cover_url,
    url: `/videos/${video_id}?episode=${number}`,
    tag: video_id,
  }
}
