import * as contract from '#contract/studio/page-texts.ts'
import {
  loadPageTexts,
  loadPageText,
  renderPageText,
  restorePageText,
  storePageText,
  placeholderValues,
} from '#server/features/pages/pages.ts'
import { transactionalCommand, readCommand, type Command } from './define-command.ts'

/** Commands for the site's texts in each language. */
export const pageTextCommands: Command[] = [
  readCommand(contract.listPageTexts, async ({ db }) => ({ data: { list: await loadPageTexts(db) } })),

  readCommand(contract.showPageText, async ({ db }, which) => ({ info: await loadPageText(db, which) })),

  readCommand(contract.previewPageText, async (context, { markdown }) => ({
    info: await renderPageText(markdown, placeholderValues(context)),
  })),

  transactionalCommand(contract.savePageText, async (context, tx, edit) => {
    const before = await storePageText(tx, edit, {
      values: placeholderValues(context),
      now: context.clock.now(),
    })
    const info = await loadPageText(tx, edit)
    return { answer: { info }, change: { subject: auditSubject(edit), ...changedLines(before, info) } }
  }),

  transactionalCommand(contract.resetPageText, async (_context, tx, edit) => {
    const before = await restorePageText(tx, edit)
    const info = await loadPageText(tx, edit)
    return { answer: { info }, change: { subject: auditSubject(edit), ...changedLines(before, info) } }
  }),
]

const auditSubject = ({ name, language }: { name: string; language: string }) => `text ${name} ${language}`

interface TextVersion {
  custom: boolean
  markdown: string
}

/**
 * Returns the lines from the first to the last difference between two texts. Only these lines are written to the audit
 * log.
 */
function changedLines(before: TextVersion, after: TextVersion) {
  const [linesBefore, linesAfter] = [before.markdown.split('\n'), after.markdown.split('\n')]
  const shorterLength = Math.min(linesBefore.length, linesAfter.length)
  let [commonStart, commonEnd] = [0, 0]
  while (commonStart < shorterLength && linesBefore[commonStart] === linesAfter[commonStart]) commonStart++
  while (
    commonEnd < shorterLength - commonStart &&
    linesBefore.at(-1 - commonEnd) === linesAfter.at(-1 - commonEnd)
  )
    commonEnd++
  const part = (lines: string[]) => lines.slice(commonStart, lines.length - commonEnd).join('\n')
  return {
    before: { custom: before.custom, line: commonStart + 1, markdown: part(linesBefore) },
    after: { custom: after.custom, line: commonStart + 1, markdown: part(linesAfter) },
  }
}
