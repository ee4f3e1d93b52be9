import {
  previewHomepage,
  saveHomepage,
  showHomepage,
  type StudioHomepage,
} from '#contract/studio/homepage.ts'
import type { Language } from '#contract/languages.ts'
import { listHomepageOptions, loadDraft, previewDraft, saveDraft } from '#server/features/catalog/catalog.ts'
import { transactionalCommand, readCommand, type Command } from '#server/features/studio/define-command.ts'
import type { Db } from '#server/tables.ts'

/** Commands that load, preview and save the homepage's composition. */
export const homepageCommands: Command[] = [
  readCommand(showHomepage, async ({ db }, _input, { language }) => ({
    info: await loadComposed(db, language),
  })),

  readCommand(previewHomepage, async (context, { draft }, { language }) => ({
    info: await previewDraft(context.db, draft, language, context.copyright()),
  })),

  transactionalCommand(saveHomepage, async (_context, tx, { draft, version }, { language }) => {
    const before = await saveDraft(tx, draft, version)
    const info = await loadComposed(tx, language)
    return { answer: { info }, change: { subject: 'homepage', before, after: info.draft } }
  }),
]

async function loadComposed(db: Db, language: Language): Promise<StudioHomepage> {
  const loaded = await loadDraft(db)
  return { ...loaded, ...(await listHomepageOptions(db, loaded.draft, language)) }
}
