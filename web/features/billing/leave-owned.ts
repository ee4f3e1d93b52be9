import { paths } from '#web/lib/paths.ts'
import { isFramed, reportOwned } from './order-report.ts'
import type { Wish } from './wish.ts'

/** Leaves the card form for what the person has already: the page around it plays it; a page of its own leads there. */
export function leaveOwned({ kind, id }: Wish): void {
  if (isFramed()) return reportOwned()
  location.assign(kind === 'video' ? paths.video.to(id) : paths.my.to())
}
