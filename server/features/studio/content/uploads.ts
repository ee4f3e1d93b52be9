import * as contract from '#contract/studio/uploads.ts'
import { beginUpload, listUploads, removeUpload } from '#server/features/media/media.ts'
import { changes, reads, type Command } from '#server/features/studio/command.ts'

/** Files on their way in from the pages; their bytes come by receive-bytes.ts. */
export const uploadCommands: Command[] = [
  reads(contract.listUploads, async ({ db }, { video_id }, { language }) => ({
    data: { list: await listUploads(db, video_id, language) },
  })),

  changes(contract.beginUpload, async ({ clock }, tx, file, { language }) => {
    const upload = await beginUpload(tx, file, clock.now(), language)
    return { answer: { info: upload }, change: { subject: file.video_id, after: file } }
  }),

  changes(contract.removeUpload, async (_context, tx, { id }) => {
    const { video_id, name, number, state } = await removeUpload(tx, id)
    return {
      answer: { info: { removed: true } },
      change: { subject: video_id, before: { name, number, state } },
    }
  }),
]
