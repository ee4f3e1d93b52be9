/** How much of everything a site has that has run for a year. */
export interface SiteSize {
  videos: number
  people: number
  orders: number
  events: number
  deeds: number
}
