import { previewHomepage, saveHomepage, showHomepage, type Composed } from '#contract/studio/homepage.ts'
import type { Language } from '#contract/languages.ts'
import { listHomepageChoices, loadDraft, previewDraft, saveDraft } from '#server/features/catalog/catalog.ts'
import { changes, reads, type Command } from '#server/features/studio/command.ts'
import type { Db } from '#server/tables.ts'

/** Commands for composing the homepage. */
export const homepageCommands: Command[] = [
  reads(showHomepage, async ({ db }, _input, { language }) => ({ info: await load(db, language) })),

  reads(previewHomepage, async (context, { draft }, { language }) => ({
    info: await previewDraft(context.db, draft, language, context.copyright()),
  })),

  changes(saveHomepage, async (_context, tx, { draft, version }, { language }) => {
    const before = await saveDraft(tx, draft, version)
    const info = await load(tx, language)
    return { answer: { info }, change: { subject: 'homepage', before, after: info.draft } }
  }),
]

async function load(db: Db, language: Language): Promise<Composed> {
  const loaded = await loadDraft(db)
  return { ...loaded, ...(await listHomepageChoices(db, loaded.draft, language)) }
}
