import { createHash } from 'node:crypto'
import { Refusal } from '#contract/errors.ts'
import { textInLanguage, type Language, type LocalizedText } from '#contract/languages.ts'
import {
  payLayouts,
  type StudioHomepage,
  type HomepageDraft,
  type DraftSection,
} from '#contract/studio/homepage.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  buildHomepage,
  defaultPayTheme,
  type Copyright,
  type SectionRow,
  type SharedHomepage,
} from './load-homepage.ts'
import * as compose from './homepage-queries.ts'
import {
  selectMenu,
  selectSections,
  selectSettings,
  upsertSetting,
} from '#server/features/catalog/queries.ts'
import type { SectionSource } from '#server/features/catalog/tables.ts'

/**
 * Loads the homepage for editing. `version` is a hash of the homepage. `saveDraft` uses it to detect that the homepage
 * has been edited since.
 */
export async function loadDraft(db: Db): Promise<{ draft: HomepageDraft; version: string }> {
  const [sections, categories, settings] = await Promise.all([
    selectSections(db),
    compose.selectCategories(db),
    selectSettings(db),
  ])
  const slugs = sections.flatMap(({ source }) => (source.type === 'videos' ? source.slugs : []))
  const ids = await loadVideoIds(db, slugs)
  const copyright: Partial<Copyright> = { ...settings.get('copyright') }
  const theme = { ...defaultPayTheme, ...settings.get('pay_theme') }
  const draft: HomepageDraft = {
    sections: sections.map(({ id, kind, titles, source }) => ({
      id,
      kind,
      titles,
      source: toDraftSource(source, ids),
    })),
    menu: categories.map(({ id }) => id),
    copyright: copyright.text ?? null,
    pay_theme: {
      layout: payLayouts.find((layout) => layout === theme.layout) ?? 'sheet',
      accent: theme.accent,
    },
  }
  return { draft, version: createHash('sha256').update(JSON.stringify(draft)).digest('base64url') }
}

/**
 * Lists the categories and tags that an operator can choose for homepage sections, and the videos picked in the draft.
 */
export async function listHomepageOptions(
  db: Db,
  { sections }: HomepageDraft,
  language: Language,
): Promise<Pick<StudioHomepage, 'categories' | 'tags' | 'selected_videos'>> {
  const ids = sections.flatMap(({ source }) => source.videos ?? [])
  const [categories, tags, selectedVideos] = await Promise.all([
    compose.selectCategories(db),
    compose.selectTagChoices(db),
    compose.selectPicked(db, 'id', ids),
  ])
  const toOption = ({ id, slug, names }: (typeof tags)[number]) => ({
    id,
    slug,
    name: textInLanguage(names, language),
  })
  return {
    categories: categories.map(toOption),
    tags: tags.map(toOption),
    selected_videos: selectedVideos.map(({ id, titles }) => ({ id, name: textInLanguage(titles, language) })),
  }
}

/** Returns the homepage that viewers would get from a draft. A draft without a copyright notice gets `copyright`. */
export async function previewDraft(
  db: Db,
  draft: HomepageDraft,
  language: Language,
  copyright: Copyright,
): Promise<SharedHomepage['info']> {
  const [slugs, published] = await Promise.all([loadVideoSlugs(db, draft), selectMenu(db)])
  const rows = draft.sections.map((section, position) => toSectionRow(section, position, slugs))
  // Categories that are not in the draft are last, as they would be after saving.
  const positions = new Map(draft.menu.map((id, index) => [id, index]))
  const positionOf = ({ id }: { id: string }) => positions.get(id) ?? positions.size
  const menu = published.toSorted((one, other) => positionOf(one) - positionOf(other))
  const { info } = await buildHomepage(db, language, {
    sections: rows,
    menu,
    copyright: draft.copyright === null ? copyright : { ...copyright, text: draft.copyright },
    payTheme: { ...defaultPayTheme, ...draft.pay_theme },
  })
  return info
}

/**
 * Publishes a draft as the homepage. Existing sections keep their id, which is part of URLs.
 * @returns the previous homepage
 * @throws Refusal editConflict if the homepage has changed since `version`; settingInvalid if a section has no English
 * title or an accent colour is invalid
 */
export async function saveDraft(tx: Tx, draft: HomepageDraft, version: string): Promise<HomepageDraft> {
  await compose.lockHomepage(tx)
  const before = await loadDraft(tx)
  if (before.version !== version) throw new Refusal('editConflict')
  if (draft.sections.some(({ titles }) => !titles.en?.trim()))
    throw new Refusal('settingInvalid', { field: 'titles' })
  if (!/^#[0-9a-f]{6}$/i.test(draft.pay_theme.accent))
    throw new Refusal('settingInvalid', { field: 'accent' })
  const known = new Set(before.draft.sections.map(({ id }) => id))
  const slugs = await loadVideoSlugs(tx, draft)
  const rows = draft.sections.map((section, position) =>
    toSectionRow({ ...section, id: known.has(section.id) ? section.id : null }, position, slugs),
  )
  const serializeRow = ({ titles, source, ...row }: SectionRow) => ({
    ...row,
    titles: JSON.stringify(titles),
    source: JSON.stringify(source),
  })
  await compose.replaceSections(tx, rows.map(serializeRow))
  await compose.updateCategoryPositions(tx, draft.menu)
  const { copyright, pay_theme } = draft
  const copyrightSetting: object = (await selectSettings(tx)).get('copyright') ?? {}
  const { text: _, ...rest } = copyrightSetting as Partial<Copyright>
  await upsertSetting(tx, 'copyright', copyright === null ? rest : { ...rest, text: copyright })
  await upsertSetting(tx, 'pay_theme', { ...defaultPayTheme, ...pay_theme })
  return before.draft
}

async function loadVideoIds(db: Db, slugs: readonly string[]): Promise<Map<string, string>> {
  const rows = slugs.length > 0 ? await compose.selectPicked(db, 'slug', slugs) : []
  return new Map(rows.map(({ slug, id }) => [slug, id]))
}

async function loadVideoSlugs(db: Db, { sections }: HomepageDraft): Promise<Map<string, string>> {
  const ids = sections.flatMap(({ source }) => source.videos ?? [])
  const rows = ids.length > 0 ? await compose.selectPicked(db, 'id', ids) : []
  return new Map(rows.map(({ id, slug }) => [id, slug]))
}

function toDraftSource(source: SectionSource, ids: ReadonlyMap<string, string>): DraftSection['source'] {
  if (source.type === 'videos')
    return { type: 'videos', videos: source.slugs.flatMap((slug) => ids.get(slug) ?? []) }
  return 'slug' in source ? { type: source.type, slug: source.slug } : { type: source.type }
}

function toSectionRow(
  { id, kind, titles, source }: DraftSection,
  position: number,
  slugs: ReadonlyMap<string, string>,
): SectionRow {
  // The cast is safe: a draft may lack the English title, but `saveDraft` requires it.
  const sectionTitles = { en: '', ...withoutEmptyTitles(titles) } as LocalizedText
  return {
    id: id ?? newId('sec'),
    kind,
    titles: sectionTitles,
    source: toSectionSource(source, slugs),
    position,
  }
}

function withoutEmptyTitles(titles: DraftSection['titles']): Partial<LocalizedText> {
  const nonEmptyTitles = Object.entries(titles).flatMap(([language, title]) => {
    const trimmed = title?.trim()
    return trimmed ? [[language, trimmed] as const] : []
  })
  return Object.fromEntries(nonEmptyTitles)
}

function toSectionSource(
  { type, slug = '', videos = [] }: DraftSection['source'],
  slugs: ReadonlyMap<string, string>,
): SectionSource {
  if (type === 'videos') return { type, slugs: videos.flatMap((id) => slugs.get(id) ?? []) }
  return type === 'category' || type === 'tag' ? { type, slug } : { type }
}
