/** The amount of data of a site. */
export interface SiteSize {
  videos: number
  people: number
  /** Number of users with a history. */
  watchers: number
  /** Number of recently active users: they may have sessions, an attribution and exposures to experiments. */
  active: number
  orders: number
  events: number
  /** Age of the oldest event in days. */
  eventDays: number
  auditEvents: number
}

/** Returns the size of a large site after a year, multiplied by `factor`. */
export function siteSize(factor: number): SiteSize {
  const scaled = (whole: number) => Math.round(whole * factor)
  return {
    videos: scaled(10_000),
    people: scaled(100_000),
    watchers: scaled(100_000),
    active: scaled(100_000),
    orders: scaled(200_000),
    events: scaled(5_000_000),
    eventDays: 90,
    auditEvents: scaled(400_000),
  }
}

/**
 * A site that has grown for years. Its members are complete. Its history, experiments, orders and events are sparse, so
 * that filling takes less than an hour and 20 GB.
 */
export const largeSite: SiteSize = {
  videos: 10_000,
  people: 10_000_000,
  watchers: 100_000,
  active: 1_000_000,
  orders: 400_000,
  events: 5_000_000,
  eventDays: 175,
  auditEvents: 1_000_000,
}
