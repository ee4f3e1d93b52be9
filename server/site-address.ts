import type { Context } from '#server/context.ts'
import { readSetting, writeSetting } from '#server/features/catalog/catalog.ts'

const key = 'address'

interface Started {
  publicUrl: string
}

/** The site's URL as a command assumes it, with a note for its user. */
export interface SiteAddress {
  publicUrl: string
  /** Undefined where PUBLIC_URL says it. */
  note?: string
}

/** Writes down where the site was started, for commands that run beside it with other settings. */
export function noteAddress({ db, config: { publicUrl } }: Context): Promise<void> {
  const started: Started = { publicUrl }
  return writeSetting(db, key, started)
}

/** The address for a command's links: PUBLIC_URL, else where the site was started last. */
export async function findAddress({ db, config }: Context): Promise<SiteAddress> {
  const { publicUrl, publicUrlGiven } = config
  if (publicUrlGiven) return { publicUrl }
  const started = await readSetting<Started>(db, key)
  return started
    ? { ...started, note: `The site was last started at ${started.publicUrl}. ${another}` }
    : { publicUrl, note: `No site has been started here yet, so ${publicUrl} is assumed. ${another}` }
}

const another = 'Put PUBLIC_URL=… before the command to use another address.'
