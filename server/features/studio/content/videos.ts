import * as contract from '#contract/studio/videos.ts'
import type { StudioVideo, StudioVideoRow } from '#contract/studio/videos.ts'
import { priceWarningsOf, type VideoWarning } from '#contract/studio/video-warnings.ts'
import { listLimits } from '#contract/catalog.ts'
import { Refusal } from '#contract/errors.ts'
import { inLanguage, languages, type Language, type Texts } from '#contract/languages.ts'
import {
  archive,
  beginDraft,
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
import { countFailed, countPlayable } from '#server/features/media/media.ts'
import { changes, reads, type Command } from '#server/features/studio/command.ts'
import type { StudioContext } from '#server/features/studio/studio-context.ts'
import { loadInherited } from './inherited.ts'
import { pageSize } from '#server/platform/cursor.ts'
import { readPage } from '#server/platform/read-page.ts'
import type { Tx } from '#server/tables.ts'

const mostTags = 500

/** Commands for videos of every status: list, create, edit, publish, archive. */
export const videoCommands: Command[] = [
  reads(contract.listStudioVideos, async ({ db }, { state, keyword, cursor, limit }, { language }) => {
    const name = `studio videos ${state ?? ''} ${keyword ?? ''}`
    const { page, next_cursor } = await readPage(
      name,
      { cursor, size: pageSize(limit, listLimits) },
      (after, most) => selectAdminVideos(db, { state, keyword, after, limit: most }),
      ({ created_at, id }) => [created_at, id],
    )
    const failed = await countFailed(
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

  reads(contract.getStudioVideo, async ({ db, languages }, { id }, { language }) => {
    const video = await loadAdminVideo(db, id)
    return { info: { ...present(video, language, languages()), inherited: await loadInherited(db, video) } }
  }),

  reads(contract.listLabels, async ({ db }, _input, { language }) => {
    const [categories, tags] = await Promise.all([selectCategories(db), selectTagsInUse(db, mostTags)])
    const label = (row: Named) => presentLabel(row, language)
    return { info: { categories: categories.map(label), tags: tags.map(label) } }
  }),

  changes(contract.addVideo, async ({ clock, languages }, tx, { title }, { language }) => {
    const id = await beginDraft(tx, title, clock.now())
    const video = await loadAdminVideo(tx, id)
    return {
      answer: { info: present(video, language, languages()) },
      change: { subject: id, after: trace(video) },
    }
  }),

  changes(contract.editVideo, (context, tx, { id, ...edits }, { language }) =>
    change(context, tx, { id, language }, async (video) => {
      checkPayable(context, { ...video, ...edits }, edits)
      await editVideo(tx, video, edits)
    }),
  ),

  changes(contract.removeCover, (context, tx, { id, language: of }, { language }) =>
    change(context, tx, { id, language }, () => setLanguageCover(tx, id, of, null)),
  ),

  changes(contract.publishVideo, (context, tx, { id }, { language }) =>
    change(context, tx, { id, language }, async (video) =>
      publishNow(tx, video, await countPlayable(tx, id), context.clock.now()),
    ),
  ),

  changes(contract.scheduleVideo, (context, tx, { id, at }, { language }) =>
    change(context, tx, { id, language }, (video) => schedule(tx, video, new Date(at), context.clock.now())),
  ),

  changes(contract.unscheduleVideo, (context, tx, { id }, { language }) =>
    change(context, tx, { id, language }, (video) => unschedule(tx, video)),
  ),

  changes(contract.archiveVideo, (context, tx, { id }, { language }) =>
    change(context, tx, { id, language }, (video) => archive(tx, video)),
  ),
]

/** Locks a video, changes it, and returns it before and after. */
async function change(
  { languages }: Pick<StudioContext, 'languages'>,
  tx: Tx,
  { id, language }: { id: string; language: Language },
  apply: (video: AdminVideoRecord) => Promise<void>,
) {
  const before = await loadAdminVideo(tx, id, { lock: true })
  await apply(before)
  const after = await loadAdminVideo(tx, id)
  const [was, is] = differing(trace(before), trace(after))
  return {
    answer: { info: present(after, language, languages()) },
    change: { subject: id, before: was, after: is },
  }
}

type Named = AdminVideoRecord['tags'][number]

const presentLabel = ({ slug, names }: Named, language: Language) => ({
  slug,
  name: inLanguage(names, language),
})

/** Returns unusual prices, and labels without a name in a language that the site offers. */
function warningsOf(video: AdminVideoRecord, offered: readonly Language[]): VideoWarning[] {
  const lacksNames = ({ names }: { names: Texts }) => offered.some((language) => !names[language]?.trim())
  return [
    ...priceWarningsOf(video),
    ...(video.category && lacksNames(video.category) ? (['categoryUntranslated'] as const) : []),
    ...(video.tags.some(lacksNames) ? (['tagsUntranslated'] as const) : []),
  ]
}

function present(record: AdminVideoRecord, language: Language, offered: readonly Language[]): StudioVideo {
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
    title: inLanguage(titles, language),
    ...presentCover({ cover_path, cover_color, language_covers }, language),
    failed_count,
    play_count: Number(row.play_count),
    released_at: row.released_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }
}

/** Returns a video's editable fields for the audit trail. */
function trace({ tags, category, ...video }: AdminVideoRecord): Record<string, unknown> {
  const { id: _id, created_at: _created, cover_color: _color, episode_count: _count, ...rest } = video
  return { ...rest, category: category?.slug ?? null, tags: tags.map(({ slug }) => slug) }
}

/** Returns the fields in which the two differ. */
function differing(before: Record<string, unknown>, after: Record<string, unknown>) {
  const names = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const pick = (of: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, of[name]]))
  return [pick(before), pick(after)]
}

type Prices = Partial<Pick<AdminVideoRecord, 'episode_cents' | 'video_cents' | 'currency'>>

/** @throws Refusal amountNotTaken for a changed price that no gateway of the site accepts */
function checkPayable(context: Pick<StudioContext, 'gateways'>, after: Prices, edits: Prices): void {
  for (const field of ['episode_cents', 'video_cents'] as const) {
    const amount_cents = after[field]
    const isSet = edits[field] !== undefined || edits.currency !== undefined
    if (!isSet || !amount_cents || after.currency === undefined || context.gateways.length === 0) continue
    if (!isPayable(context, { amount_cents, currency: after.currency }))
      throw new Refusal('amountNotTaken', { field })
  }
}
