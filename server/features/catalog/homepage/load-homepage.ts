import type { ResultOf } from '#contract/endpoint.ts'
import type { getHomepage, Section } from '#contract/catalog.ts'
import { textInLanguage, type Language } from '#contract/languages.ts'
import type { Db } from '#server/tables.ts'
import { selectVideos } from '#server/features/catalog/cards/list-queries.ts'
import { resolveSource } from '#server/features/catalog/listing/list-videos.ts'
import type { Catalog } from '#server/features/catalog/create-catalog.ts'
import { presentCard, presentName } from '#server/features/catalog/cards/present-card.ts'
import * as queries from '#server/features/catalog/queries.ts'
import type { CardRow } from '#server/features/catalog/queries.ts'
import {
  recommendVideos,
  type LoadWatched,
} from '#server/features/catalog/recommendations/recommend-videos.ts'

/** Number of cards in a section on the homepage, by its kind. */
const sectionSize = { carousel: 6, row: 12, ranking: 10, grid: 12 }
/** A row with fewer videos than this looks empty on a wide screen. */
const minRowSize = 4

export type Copyright = SharedHomepage['info']['copyright']
export type PayTheme = SharedHomepage['info']['pay_theme']

/** The homepage that all viewers share, and the positions of the sections that differ per viewer. */
export interface SharedHomepage {
  info: ResultOf<typeof getHomepage>
  personal: { section: SectionRow; position: number }[]
}

/**
 * Loads the homepage in one language, without empty sections.
 * `personaliseHomepage` adds the sections that differ per viewer.
 * @param copyright the notice to show if the operator has set none
 */
export async function loadHomepage(
  db: Db,
  language: Language,
  copyright: Copyright,
): Promise<SharedHomepage> {
  const [sections, menu, settings] = await Promise.all([
    queries.selectSections(db),
    queries.selectMenu(db),
    queries.selectSettings(db),
  ])
  return buildHomepage(db, language, {
    sections,
    menu,
    copyright: { ...copyright, ...settings.get('copyright') },
    payTheme: { ...defaultPayTheme, ...settings.get('pay_theme') },
  })
}

export const defaultPayTheme = { id: 'ember', layout: 'sheet', accent: '#ff8a4c' }

/** The parts of a homepage, published or draft. */
export interface HomepageParts {
  sections: readonly SectionRow[]
  menu: readonly queries.NameRow[]
  copyright: Copyright
  payTheme: PayTheme
}

/** Builds a homepage from its parts, and loads the videos of its sections. */
export async function buildHomepage(
  db: Db,
  language: Language,
  { sections, menu, copyright, payTheme }: HomepageParts,
): Promise<SharedHomepage> {
  const loaded = await loadSections(db, sections, language)
  const isNonEmpty = (section: Section | null): section is Section =>
    section !== null && section.items.length > 0
  return {
    info: {
      copyright,
      menu: menu.map((category) => presentName(category, language)),
      homepage: loaded.filter(isNonEmpty),
      pay_theme: payTheme,
      feed: sections.find(({ source }) => source.type === 'recommended')?.id ?? null,
    },
    personal: sections.flatMap((section, index) =>
      section.source.type === 'recommended'
        ? [{ section, position: loaded.slice(0, index).filter(isNonEmpty).length }]
        : [],
    ),
  }
}

/** Adds the sections that differ per viewer to the shared homepage. */
export async function personaliseHomepage(
  catalog: Catalog,
  { info, personal }: SharedHomepage,
  language: Language,
  loadWatched: LoadWatched,
): Promise<SharedHomepage['info']> {
  const homepage = [...info.homepage]
  const personalSections = await Promise.all(
    personal.map(async ({ section, position }) => {
      const size = sectionSize[section.kind]
      const rows = await recommendVideos(catalog, loadWatched, size + 1)
      const presented = presentSection(section, rows, language)
      return { section: await withSynopses(catalog.readDb, presented, language), position }
    }),
  )
  // Inserts the last section first, so that no insertion shifts the positions of the sections still to be inserted.
  for (const { section, position } of personalSections.toReversed())
    if (section.items.length > 0) homepage.splice(position, 0, section)
  return { ...info, homepage }
}

export type SectionRow = Awaited<ReturnType<typeof queries.selectSections>>[number]

/**
 * Loads the sections of a homepage. To avoid repetition, a row of the newest videos omits videos that carousels and
 * rankings show. If there is also a grid of the newest videos, a row that keeps only a few videos is emptied. The grid
 * omits videos that at least two other sections show.
 * @returns null for sections that differ per viewer
 */
async function loadSections(
  db: Db,
  sections: readonly SectionRow[],
  language: Language,
): Promise<(Section | null)[]> {
  const loaded = new Map<SectionRow, Section | null>()
  const load = async (sections: readonly SectionRow[], excluded: ReadonlySet<string>) => {
    const results = await Promise.all(sections.map((section) => loadSection(db, section, language, excluded)))
    for (const [at, section] of sections.entries()) loaded.set(section, results[at] ?? null)
  }
  const others = sections.filter((section) => !isNewest(section, 'row') && !isNewest(section, 'grid'))
  await load(others, new Set())
  const prominent = [...loaded.values()].filter(
    (section) => section?.kind !== 'row' && section?.kind !== 'grid',
  )
  const newestRows = sections.filter((section) => isNewest(section, 'row'))
  await load(newestRows, idsShownAtLeast(1, prominent))
  if (sections.some((section) => isNewest(section, 'grid')))
    for (const row of newestRows) loaded.set(row, withoutShortRow(loaded.get(row) ?? null))
  await load(
    sections.filter((section) => isNewest(section, 'grid')),
    idsShownAtLeast(2, [...loaded.values()]),
  )
  return sections.map((section) => loaded.get(section) ?? null)
}

const isNewest = ({ kind, source }: SectionRow, wantedKind: SectionRow['kind']) =>
  kind === wantedKind && source.type === 'newest'

/** Empties a row of fewer than `minRowSize` videos, if the row's own page has more videos. */
function withoutShortRow(row: Section | null): Section | null {
  return row?.has_more && row.items.length < minRowSize ? { ...row, items: [] } : row
}

/** Returns the ids of videos that appear in at least `times` of these sections. */
function idsShownAtLeast(times: number, sections: readonly (Section | null)[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const { id } of sections.flatMap((section) => section?.items ?? []))
    counts.set(id, (counts.get(id) ?? 0) + 1)
  return new Set([...counts].flatMap(([id, count]) => (count >= times ? [id] : [])))
}

/**
 * Loads a section and omits the excluded videos. The section's own page lists them, so `has_more` is true if any video
 * was omitted. A ranking by plays has only videos that were played. The videos of a carousel have a synopsis.
 * @returns null for a section that differs per viewer
 */
async function loadSection(
  db: Db,
  section: SectionRow,
  language: Language,
  excluded: ReadonlySet<string>,
): Promise<Section | null> {
  const { kind, source } = section
  if (source.type === 'recommended') return null
  const { filter, order } = resolveSource(source)
  const rows = await selectVideos(db, filter, order, undefined, sectionSize[kind] + 1 + excluded.size)
  const isRanking = kind === 'ranking' && source.type === 'popular'
  const matchingRows = rows.filter(
    ({ id, play_count }) => !excluded.has(id) && (!isRanking || play_count > 0),
  )
  const presented = await withSynopses(db, presentSection(section, matchingRows, language), language)
  return { ...presented, has_more: presented.has_more || rows.some(({ id }) => excluded.has(id)) }
}

/** Adds synopses to the videos of a carousel. Other sections do not show synopses. */
async function withSynopses(db: Db, section: Section, language: Language): Promise<Section> {
  if (section.kind !== 'carousel') return section
  const synopsesById = await queries.selectSynopses(
    db,
    section.items.map(({ id }) => id),
  )
  const items = section.items.map((item) => {
    const synopses = synopsesById.get(item.id)
    return synopses ? { ...item, synopsis: textInLanguage(synopses, language) } : item
  })
  return { ...section, items }
}

function presentSection({ id, kind, titles }: SectionRow, rows: CardRow[], language: Language): Section {
  const size = sectionSize[kind]
  return {
    id,
    kind,
    title: textInLanguage(titles, language),
    items: rows.slice(0, size).map((row) => presentCard(row, language)),
    has_more: rows.length > size,
  }
}
