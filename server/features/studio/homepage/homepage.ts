import {
  previewHomepage,
  saveHomepage,
  showHomepage,
  type StudioHomepage,
} from '#contract/studio/homepage.ts'
import type { Language } from '#contract/languages.ts'
import type { Role } from '#contract/studio/roles.ts'
import { listHomepageOptions, loadDraft, previewDraft, saveDraft } from '#server/features/catalog/catalog.ts'
import { transactionalCommand, readCommand, type Command } from '#server/features/studio/define-command.ts'
import { selectAuditEventsAbout } from '#server/features/studio/audit-queries.ts'
import type { Db } from '#server/tables.ts'

/** Commands that load, preview and save the homepage's composition. */
export const homepageCommands: Command[] = [
  readCommand(showHomepage, async ({ db }, _input, { language, role }) => ({
    info: { ...(await loadComposed(db, language)), published: await loadLastPublication(db, role) },
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

const publishers: readonly Role[] = saveHomepage.roles

/** Returns the last publication in the studio. Only roles that may publish see the operator. */
async function loadLastPublication(db: Db, role: Role): Promise<StudioHomepage['published']> {
  const [last] = await selectAuditEventsAbout(db, 'homepage', { before: undefined, limit: 1 })
  if (!last) return null
  return { at: last.at.toISOString(), operator: publishers.includes(role) ? last.operator : null }
}

async function loadComposed(db: Db, language: Language): Promise<Omit<StudioHomepage, 'published'>> {
  const loaded = await loadDraft(db)
  return { ...loaded, ...(await listHomepageOptions(db, loaded.draft, language)) }
}
