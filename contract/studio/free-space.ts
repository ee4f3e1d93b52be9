/** The free space of the storage's disk, as the health check reports it. */
interface FreeSpace {
  gigabytes: number
  folder: string
  /** False if the disk is so full that no analytics events are recorded. */
  eventsRecorded: boolean
}

const eventsWarning = '; analytics events are not recorded'
const pattern = new RegExp(`^([\\d.]+) GB left in (.+?)(${eventsWarning})?$`)

/** Formats the free space for the detail of a health check. The same text appears in errors. */
export const formatFreeSpace = ({ gigabytes, folder, eventsRecorded }: FreeSpace): string =>
  `${gigabytes.toFixed(1)} GB left in ${folder}${eventsRecorded ? '' : eventsWarning}`

/**
 * Parses the detail of a health check, so that a screen can translate it. Returns undefined if the detail is not about
 * free space.
 */
export function parseFreeSpace(detail: string): FreeSpace | undefined {
  const [, gigabytes, folder, warning] = pattern.exec(detail) ?? []
  if (gigabytes === undefined || folder === undefined) return undefined
  return { gigabytes: Number(gigabytes), folder, eventsRecorded: warning === undefined }
}
