/** The amount of data of a site that has run for a year. */
export interface SiteSize {
  videos: number
  people: number
  orders: number
  events: number
  auditEvents: number
}
