import * as contract from '#contract/studio/uploads.ts'
import {
  startUploads,
  listArrivedUploads,
  listUploads,
  removeUploads,
  auditRecordOf,
} from '#server/features/media/media.ts'
import { transactionalCommand, readCommand, type Command } from '#server/features/studio/define-command.ts'

/** Commands for uploads from the studio. The routes in upload-routes.ts receive the bytes. */
export const uploadCommands: Command[] = [
  readCommand(contract.listUploads, async ({ db }, { video_id }, { language }) => ({
    data: { list: await listUploads(db, video_id, language) },
  })),

  readCommand(contract.listCompletedUploads, async ({ db }, { video_id }) => ({
    data: { list: await listArrivedUploads(db, video_id) },
  })),

  transactionalCommand(contract.startUploads, async ({ clock }, tx, { video_id, files }, { language }) => {
    const { list, change } = await startUploads(tx, video_id, files, clock.now(), language)
    return { answer: { data: { list } }, change: change && { subject: video_id, ...change } }
  }),

  transactionalCommand(contract.removeUploads, async (_context, tx, { video_id, ids }) => {
    const { removed, notRemoved } = await removeUploads(tx, video_id, ids)
    const answer = { info: { removed: removed.length, not_removed: notRemoved.map(({ name }) => name) } }
    return {
      answer,
      change: removed.length > 0 ? { subject: video_id, before: auditRecordOf(removed) } : null,
    }
  }),
]
