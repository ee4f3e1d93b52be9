import * as contract from '#contract/studio/videos.ts'
import type { StudioVideo, StudioVideoRow } from '#contract/studio/videos.ts'
import { priceWarningsOf, type VideoWarning } from '#contract/studio/video-warnings.ts'
import { listLimits } from '#contract/catalog.ts'
import { Refusal } from '#contract/errors.ts'
import { textInLanguage, languages, type Language, type LocalizedText } from '#contract/languages.ts'
import {
  archive,
  createDraft,
  editVideo,
  loadAdminVideo,
  presentCover,
  publishNow,
  schedule,
  selectCategories,
  selectAdminVideos,
  selectTagsInUse,
  setLanguageCover,
  unschedule,
  type AdminVideoRecord,
} from '#server/features/catalog/catalog.ts'
import { isPayable } from '#server/features/billing/billing.ts'
import { countFailedEpisodes, countPlayable } from '#server/features/media/media.ts'
import { transactionalCommand, readCommand, type Command } from '#server/features/studio/define-command.ts'
import type { StudioContext } from '#server/features/studio/studio-context.ts'
import { loadInheritedValues } from './inherited-values.ts'
import { choosePageSize } from '#server/platform/cursor.ts'
import { readPage } from '#server/platform/read-page.ts'
import type { Tx } from '#server/tables.ts'

const maxTags = 500

/** Commands for videos in every state: list, create, edit, publish, schedule, archive. */
export const videoCommands: Command[] = [
  readCommand(contract.listStudioVideos, async ({ db }, { state, keyword, cursor, limit }, { language }) => {
    const name = `studio videos ${state ?? ''} ${keyword ?? ''}`
    const { page, next_cursor } = await readPage(
      name,
      { cursor, size: choosePageSize(limit, listLimits) },
      (after, limit) => selectAdminVideos(db, { state, keyword, after, limit }),
      ({ created_at, id }) => [created_at, id],
    )
    const failed = await countFailedEpisodes(
      db,
      page.map(({ id }) => id),
    )
    return {
      data: {
        list: page.map((row) => presentRow(row, failed.get(row.id) ?? 0, language)),
        next_cursor,
      },
    }
  }),

  readCommand(contract.getStudioVideo, async ({ db, languages }, { id }, { language }) => {
    const video = await loadAdminVideo(db, id)
    return {
      info: {
        ...presentVideo(video, language, languages()),
        inherited: await loadInheritedValues(db, video),
      },
    }
  }),

  readCommand(contract.listLabels, async ({ db }, _input, { language }) => {
    const [categories, tags] = await Promise.all([selectCategories(db), selectTagsInUse(db, maxTags)])
    const label = (row: NamedLabel) => presentLabel(row, language)
    return { info: { categories: categories.map(label), tags: tags.map(label) } }
  }),

  transactionalCommand(contract.addVideo, async ({ clock, languages }, tx, { title }, { language }) => {
    const id = await createDraft(tx, title, clock.now())
    const video = await loadAdminVideo(tx, id)
    return {
      answer: { info: presentVideo(video, language, languages()) },
      change: { subject: id, after: auditedFields(video) },
    }
  }),

  transactionalCommand(contract.editVideo, (context, tx, { id, ...edits }, { language }) =>
    changeVideo(context, tx, { id, language }, async (video) => {
      checkPayable(context, { ...video, ...edits }, edits)
      await editVideo(tx, video, edits)
    }),
  ),

  transactionalCommand(contract.removeCover, (context, tx, { id, language: coverLanguage }, { language }) =>
    changeVideo(context, tx, { id, language }, () => setLanguageCover(tx, id, coverLanguage, null)),
  ),

  transactionalCommand(contract.publishVideo, (context, tx, { id }, { language }) =>
    changeVideo(context, tx, { id, language }, async (video) =>
      publishNow(tx, video, await countPlayable(tx, id), context.clock.now()),
    ),
  ),

  transactionalCommand(contract.scheduleVideo, (context, tx, { id, at }, { language }) =>
    changeVideo(context, tx, { id, language }, (video) =>
      schedule(tx, video, new Date(at), context.clock.now()),
    ),
  ),

  transactionalCommand(contract.unscheduleVideo, (context, tx, { id }, { language }) =>
    changeVideo(context, tx, { id, language }, (video) => unschedule(tx, video)),
  ),

  transactionalCommand(contract.archiveVideo, (context, tx, { id }, { language }) =>
    changeVideo(context, tx, { id, language }, (video) => archive(tx, video)),
  ),
]

/** Locks a video, applies a change, and returns the response and the audit-log entry with the changed fields. */
async function changeVideo(
  { languages }: Pick<StudioContext, 'languages'>,
  tx: Tx,
  { id, language }: { id: string; language: Language },
  apply: (video: AdminVideoRecord) => Promise<void>,
) {
  const before = await loadAdminVideo(tx, id, { lock: true })
  await apply(before)
  const after = await loadAdminVideo(tx, id)
  const [changedBefore, changedAfter] = changedFields(auditedFields(before), auditedFields(after))
  return {
    answer: { info: presentVideo(after, language, languages()) },
    change: { subject: id, before: changedBefore, after: changedAfter },
  }
}

type NamedLabel = AdminVideoRecord['tags'][number]

const presentLabel = ({ slug, names }: NamedLabel, language: Language) => ({
  slug,
  name: textInLanguage(names, language),
})

/** Returns the warnings of a video: unusual prices, and labels without a name in a language that the site offers. */
function warningsOf(video: AdminVideoRecord, offered: readonly Language[]): VideoWarning[] {
  const lacksNames = ({ names }: { names: LocalizedText }) =>
    offered.some((language) => !names[language]?.trim())
  return [
    ...priceWarningsOf(video),
    ...(video.category && lacksNames(video.category) ? (['categoryUntranslated'] as const) : []),
    ...(video.tags.some(lacksNames) ? (['tagsUntranslated'] as const) : []),
  ]
}

function presentVideo(
  record: AdminVideoRecord,
  language: Language,
  offered: readonly Language[],
): StudioVideo {
  const { cover_path, language_covers, ...video } = record
  const { currency, episode_cents, video_cents, ...rest } = video
  return {
    ...rest,
    category: video.category && presentLabel(video.category, language),
    tags: video.tags.map((tag) => presentLabel(tag, language)),
    price: { episode_cents, video_cents, currency },
    cover_url: cover_path && `/${cover_path}`,
    language_covers: languages.flatMap((each) => {
      const cover = language_covers[each]
      return cover ? [{ language: each, url: `/${cover.path}` }] : []
    }),
    released_at: video.released_at?.toISOString() ?? null,
    created_at: video.created_at.toISOString(),
    warnings: warningsOf(record, offered),
  }
}

type Row = Awaited<ReturnType<typeof selectAdminVideos>>[number]

function presentRow(
  { titles, cover_path, cover_color, language_covers, ...row }: Row,
  failed_count: number,
  language: Language,
): StudioVideoRow {
  return {
    ...row,
    title: textInLanguage(titles, language),
    ...presentCover({ cover_path, cover_color, language_covers }, language),
    failed_count,
    play_count: Number(row.play_count),
    released_at: row.released_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }
}

/** Returns the fields of a video that operators can edit, for the audit log. */
function auditedFields({ tags, category, ...video }: AdminVideoRecord): Record<string, unknown> {
  const { id: _id, created_at: _created, cover_color: _color, episode_count: _count, ...rest } = video
  return { ...rest, category: category?.slug ?? null, tags: tags.map(({ slug }) => slug) }
}

/** Returns the fields whose values differ: first with their values before the change, then with those after it. */
function changedFields(before: Record<string, unknown>, after: Record<string, unknown>) {
  const names = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const pick = (of: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, of[name]]))
  return [pick(before), pick(after)]
}

type Prices = Partial<Pick<AdminVideoRecord, 'episode_cents' | 'video_cents' | 'currency'>>

/**
 * Checks changed prices.
 * @throws Refusal amountNotSupported if no gateway of the site accepts the price
 */
function checkPayable(context: Pick<StudioContext, 'gateways'>, after: Prices, edits: Prices): void {
  for (const field of ['episode_cents', 'video_cents'] as const) {
    const amount_cents = after[field]
    const isSet = edits[field] !== undefined || edits.currency !== undefined
    if (!isSet || !amount_cents || after.currency === undefined || context.gateways.length === 0) continue
    if (!isPayable(context, { amount_cents, currency: after.currency }))
      throw new Refusal('amountNotSupported', { field })
  }
}
