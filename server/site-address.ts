import type { Context } from '#server/context.ts'
import { readSetting, writeSetting } from '#server/features/catalog/catalog.ts'

const key = 'address'

interface Started {
  publicUrl: string
}

/** The address of the site for a command, with a note for the operator. */
export interface SiteAddress {
  publicUrl: string
  /** Undefined if PUBLIC_URL is set. */
  note?: string
}

/** Records where the site was started, for commands that run beside it with other settings. */
export function noteAddress({ db, config: { publicUrl } }: Context): Promise<void> {
  const started: Started = { publicUrl }
  return writeSetting(db, key, started)
}

/** Returns the address for a command's links: PUBLIC_URL, else where the site was last started. */
export async function findAddress({ db, config }: Context): Promise<SiteAddress> {
  const { publicUrl, publicUrlGiven } = config
  if (publicUrlGiven) return { publicUrl }
  const started = await readSetting<Started>(db, key)
  return started
    ? { ...started, note: `The site was last started at ${started.publicUrl}. ${another}` }
    : { publicUrl, note: `No site has been started here yet, so ${publicUrl} is assumed. ${another}` }
}

const another = 'Put PUBLIC_URL=… before the command to use another address.'
