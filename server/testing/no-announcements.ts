import type { ChangeFeed } from '#server/platform/database/catalogue-changes.ts'

/** A change feed without announcements, so that caches keep nothing for longer than a second. */
export const noAnnouncements: ChangeFeed = { lastChange: () => ({ number: 0, isSettled: false }) }
