import * as contract from '#contract/studio/texts.ts'
import {
  listTexts,
  loadText,
  readText,
  restoreText,
  saveText,
  textValues,
} from '#server/features/pages/pages.ts'
import { changes, reads, type Command } from './command.ts'

/** Commands for the six texts of the site, by language. */
export const textCommands: Command[] = [
  reads(contract.listTexts, async ({ db }) => ({ data: { list: await listTexts(db) } })),

  reads(contract.showText, async ({ db }, which) => ({ info: await loadText(db, which) })),

  reads(contract.previewText, async (context, { markdown }) => ({
    info: await readText(markdown, textValues(context)),
  })),

  changes(contract.saveText, async (context, tx, edit) => {
    const before = await saveText(tx, edit, { values: textValues(context), now: context.clock.now() })
    const info = await loadText(tx, edit)
    return { answer: { info }, change: { subject: subjectOf(edit), ...differing(before, info) } }
  }),

  changes(contract.restoreText, async (_context, tx, edit) => {
    const before = await restoreText(tx, edit)
    const info = await loadText(tx, edit)
    return { answer: { info }, change: { subject: subjectOf(edit), ...differing(before, info) } }
  }),
]

const subjectOf = ({ name, language }: { name: string; language: string }) => `text ${name} ${language}`

interface Written {
  own: boolean
  markdown: string
}

/** Returns the lines from the first to the last difference of two texts, all that the audit trail needs. */
function differing(before: Written, after: Written) {
  const [was, is] = [before.markdown.split('\n'), after.markdown.split('\n')]
  const most = Math.min(was.length, is.length)
  let [head, tail] = [0, 0]
  while (head < most && was[head] === is[head]) head++
  while (tail < most - head && was.at(-1 - tail) === is.at(-1 - tail)) tail++
  const part = (lines: string[]) => lines.slice(head, lines.length - tail).join('\n')
  return {
    before: { own: before.own, line: head + 1, markdown: part(was) },
    after: { own: after.own, line: head + 1, markdown: part(is) },
  }
}
