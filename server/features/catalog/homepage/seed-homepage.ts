import type { LocalizedText } from '#contract/languages.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db } from '#server/tables.ts'
import { insertSections, markHomepageSeeded } from '#server/features/catalog/queries.ts'
import type { SectionsTable, SectionSource } from '#server/features/catalog/tables.ts'

const defaultSections: { kind: SectionsTable['kind']; titles: LocalizedText; source: SectionSource }[] = [
  {
    kind: 'carousel',
    titles: { en: 'Featured', es: 'Destacados', fy: 'À la une', dy: 'Empfohlen', pt: 'Em destaque' },
    source: { type: 'featured' },
  },
  {
    kind: 'row',
    titles: {
      en: 'New this week',
      es: 'Novedades',
      fy: 'Nouveautés',
      dy: 'Neu diese Woche',
      pt: 'Novidades',
    },
    source: { type: 'newest' },
  },
  {
    kind: 'ranking',
    titles: {
      en: 'Most watched',
      es: 'Lo más visto',
      fy: 'Les plus regardées',
      dy: 'Am meisten gesehen',
      pt: 'Mais assistidos',
    },
    source: { type: 'popular' },
  },
  {
    kind: 'grid',
    titles: {
      en: 'All dramas',
      es: 'Todas las series',
      fy: 'Toutes les séries',
      dy: 'Alle Serien',
      pt: 'Todas as séries',
    },
    source: { type: 'newest' },
  },
  // This section is empty until the viewer has watched something. It is the last section, so that no other section
  // moves when it appears.
  {
    kind: 'row',
    titles: {
      en: 'Recommended for you',
      es: 'Recomendado para ti',
      fy: 'Recommandé pour vous',
      dy: 'Für Sie ausgesucht',
      pt: 'Recomendado para você',
    },
    source: { type: 'recommended' },
  },
]

/** Creates a default homepage once, in a new database. Two processes may call it concurrently. */
export async function seedHomepage(db: Db): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await markHomepageSeeded(tx))) return
    const rows = defaultSections.map(({ kind, titles, source }, position) => ({
      id: newId('sec'),
      kind,
      titles: JSON.stringify(titles),
      source: JSON.stringify(source),
      position,
    }))
    await insertSections(tx, rows)
  })
}
