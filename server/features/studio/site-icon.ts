import {
  iconEditorRoles,
  iconLimits,
  iconCommand,
  removeIcon,
  showIcon,
  SiteIcon,
} from '#contract/studio/site-icon.ts'
import { replaceIcon, convertIcon, type IconImage } from '#server/features/pages/pages.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { BytesRoute } from '#server/platform/http/route.ts'
import type { Tx } from '#server/tables.ts'
import { externalCommand, readCommand, type Command } from './define-command.ts'
import { auditCommand } from './write-audit-log.ts'
import { lockOwnSettings, updateOwnSettings } from './settings/settings-queries.ts'
import type { IconStudioContext, StudioContext } from './studio-context.ts'

const subject = 'setting icon'

/** Commands for the site's icon: show it, and restore the default. */
export const iconCommands: Command[] = [
  readCommand(showIcon, async (context) => ({ info: present(context) })),

  externalCommand(
    removeIcon,
    () => subject,
    async (context) => {
      const before = await inTransaction(context.db, (tx) => setIcon(tx, undefined))
      await context.settings.refresh()
      return { answer: { info: present(context) }, change: { subject, before, after: { icon: null } } }
    },
  ),
]

/** Returns the route that receives the image of a new icon. */
export function iconRoutes(context: StudioContext): BytesRoute[] {
  return [
    {
      ...iconCommand,
      roles: iconEditorRoles,
      maxBytes: iconLimits.bytes,
      info: SiteIcon,
      refuses: ['signInRequired', 'notAllowed', 'iconInvalid'],
      async handle({ operator, ip, bytes }) {
        const icon = await convertIcon(bytes)
        await inTransaction(context.db, async (tx) => {
          const change = { subject, before: await setIcon(tx, icon), after: { icon: icon.hash } }
          await auditCommand(context, tx, { command: 'icon change' }, { operator, ip }, change)
        })
        await context.settings.refresh()
        return { info: present(context) }
      },
    },
  ]
}

function present({ icons, settings }: IconStudioContext): SiteIcon {
  return { address: icons.address('192.png'), custom: settings.icon !== undefined }
}

/**
 * Stores a new icon, or deletes the icon if it is undefined.
 * @returns the previous icon
 */
async function setIcon(tx: Tx, icon: IconImage | undefined): Promise<{ icon: string | null }> {
  const { icon: before, ...rest } = await lockOwnSettings(tx)
  await replaceIcon(tx, icon)
  await updateOwnSettings(tx, { ...rest, ...(icon ? { icon: icon.hash } : {}) })
  return { icon: before ?? null }
}
