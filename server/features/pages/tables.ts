import type { ColumnType } from 'kysely'
import type { Language } from '#contract/languages.ts'
import type { PageName } from '#contract/pages.ts'

export interface PagesTables {
  /** The operator's own texts, which replace the built-in ones. */
  page_texts: {
    name: PageName
    language: Language
    markdown: string
    updated_at: ColumnType<Date, Date, Date>
  }
  site_icons: { hash: string; picture: Buffer }
}
