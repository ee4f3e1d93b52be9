import { Type } from 'typebox'
import { Refusal } from '#contract/errors.ts'
import { languageFromTag } from '#contract/languages.ts'
import {
  uploaderRoles,
  coverCommand,
  languageCoverCommand,
  partBytes,
  partPath,
  uploadLimits,
} from '#contract/studio/uploads.ts'
import { loadAdminVideo, setCover, setLanguageCover } from '#server/features/catalog/catalog.ts'
import { makeCover, receivePart, UnusableFile } from '#server/features/media/media.ts'
import { auditCommand } from '#server/features/studio/write-audit-log.ts'
import type { StudioContext } from '#server/features/studio/studio-context.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { BytesRoute, RawUpload } from '#server/platform/http/route.ts'

/**
 * Returns the routes that receive bytes: parts of uploads, and covers. Parts have no audit-log entry, because
 * `startUploads` has written one for the upload.
 */
export function contentUploadRoutes(context: StudioContext): BytesRoute[] {
  return [
    {
      path: partPath,
      summary: 'Upload a part of a file, numbered from 0. The file is processed after its last part',
      roles: uploaderRoles,
      maxBytes: partBytes,
      info: Type.Object({ parts: Type.Integer(), complete: Type.Boolean() }),
      refuses: ['signInRequired', 'notAllowed', 'notFound'],
      async handle(received) {
        const { id = '', part = '' } = received.params
        const number = /^\d{1,6}$/.test(part) ? Number(part) : NaN
        return { info: await receivePart(context, id, number, received.bytes) }
      },
    },
    ...[coverCommand, languageCoverCommand].map((command): BytesRoute => ({
      ...command,
      roles: uploaderRoles,
      maxBytes: uploadLimits.cover,
      info: Type.Object({
        cover_url: Type.String(),
        cover_color: Type.String(),
        /** True if the cover has fewer than 600 × 800 pixels, so that it looks blurred on large screens. */
        is_small: Type.Boolean(),
      }),
      refuses: ['signInRequired', 'notAllowed', 'notFound', 'imageUnreadable'],
      async handle(received) {
        const { path, color, isSmall } = await changeCover(context, received)
        return { info: { cover_url: `/${path}`, cover_color: color, is_small: isSmall } }
      },
    })),
  ]
}

/** Replaces the default cover, or the cover of a language if the path contains one. */
async function changeCover(context: StudioContext, { operator, ip, params, bytes }: RawUpload) {
  const { id = '' } = params
  const language = params['language'] === undefined ? undefined : languageFromTag(params['language'])
  if (params['language'] !== undefined && !language) throw new Refusal('notFound')
  await loadAdminVideo(context.db, id)
  const cover = await makeCover(context.storage, bytes).catch((error: unknown) => {
    throw error instanceof UnusableFile ? new Refusal('imageUnreadable') : error
  })
  await inTransaction(context.db, async (tx) => {
    const { cover_path, language_covers } = await loadAdminVideo(tx, id, { lock: true })
    if (language) await setLanguageCover(tx, id, language, cover)
    else await setCover(tx, id, cover)
    const before = language ? (language_covers[language]?.path ?? null) : cover_path
    const toAudit = (path: string | null) => ({ ...(language ? { language } : {}), cover_path: path })
    const change = { subject: id, before: toAudit(before), after: toAudit(cover.path) }
    await auditCommand(context, tx, { command: 'video set-cover' }, { operator, ip }, change)
  })
  return cover
}
