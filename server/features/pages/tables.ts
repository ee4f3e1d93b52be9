import type { ColumnType } from 'kysely'
import type { Language } from '#contract/languages.ts'
import type { PageName } from '#contract/pages.ts'

export interface PagesTables {
  /** What the operator has written instead of the texts that come with the site. */
  page_texts: {
    name: PageName
    language: Language
    markdown: string
    updated_at: ColumnType<Date, Date, Date>
  }
  site_icons: { hash: string; picture: Buffer }
}
