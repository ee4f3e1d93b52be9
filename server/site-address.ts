import type { Context } from '#server/context.ts'
import { readSetting, writeSetting } from '#server/features/catalog/catalog.ts'

const settingKey = 'address'

interface RecordedAddress {
  publicUrl: string
}

/** The address of the site for a command, with a note for the operator. */
export interface SiteAddress {
  publicUrl: string
  /** Undefined if PUBLIC_URL is set. */
  note?: string
}

/** Records the address at which the site was started, for commands whose settings differ. */
export function recordSiteAddress({ db, config: { publicUrl } }: Context): Promise<void> {
  const started: RecordedAddress = { publicUrl }
  return writeSetting(db, settingKey, started)
}

/** Returns the address for a command's links: PUBLIC_URL, else the address at which the site was last started. */
export async function findSiteAddress({ db, config }: Context): Promise<SiteAddress> {
  const { publicUrl, isPublicUrlSet } = config
  if (isPublicUrlSet) return { publicUrl }
  const started = await readSetting<RecordedAddress>(db, settingKey)
  return started
    ? { ...started, note: `The site was last started at ${started.publicUrl}. ${overrideHint}` }
    : { publicUrl, note: `No site has been started here yet, so ${publicUrl} is assumed. ${overrideHint}` }
}

const overrideHint = 'Put PUBLIC_URL=… before the command to use another address.'
