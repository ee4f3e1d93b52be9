import {
  previewHomepage,
  saveHomepage,
  showHomepage,
  type StudioHomepage,
} from '#contract/studio/homepage.ts'
import type { Language } from '#contract/languages.ts'
import { listHomepageOptions, loadDraft, previewDraft, saveDraft } from '#server/features/catalog/catalog.ts'
import { transactionalCommand, readCommand, type Command } from '#server/features/studio/define-command.ts'
import { selectAuditEventsAbout } from '#server/features/studio/audit-queries.ts'
import type { Db } from '#server/tables.ts'

/** Commands that load, preview and save the homepage's composition. */
export const homepageCommands: Command[] = [
  readCommand(showHomepage, async ({ db }, _input, { language }) => ({
    info: { ...(await loadComposed(db, language)), published: await loadLastPublication(db) },
  })),

  readCommand(previewHomepage, async (context, { draft }, { language }) => ({
    info: await previewDraft(context.db, draft, language, context.copyright()),
  })),

  transactionalCommand(saveHomepage, async ({ clock }, tx, { draft, version }, { language, operator }) => {
    const before = await saveDraft(tx, draft, version)
    const published = { at: clock.now().toISOString(), operator: operator?.email ?? null }
    const info = { ...(await loadComposed(tx, language)), published }
    return { answer: { info }, change: { subject: 'homepage', before, after: info.draft } }
  }),
]

/** Returns when the homepage was last published in the studio, and by whom. */
async function loadLastPublication(db: Db): Promise<StudioHomepage['published']> {
  const [last] = await selectAuditEventsAbout(db, 'homepage', { before: undefined, limit: 1 })
  return last ? { at: last.at.toISOString(), operator: last.operator } : null
}

async function loadComposed(db: Db, language: Language): Promise<Omit<StudioHomepage, 'published'>> {
  const loaded = await loadDraft(db)
  return { ...loaded, ...(await listHomepageOptions(db, loaded.draft, language)) }
}
