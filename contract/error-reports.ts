/** A URL or path. Its query and fragment may contain a click id, a search or the secret of a mailed link. */
const urlPattern = /(?:https?:\/\/|\/)[^\s"']*/g
/** The signature in a media URL. Anyone who has the URL can load the media. */
const mediaSignature = /\/media\/[^/\s"']+\//g

/** Feedback fields that are reported unchanged. */
const userWrittenFields = new Set(['message', 'name', 'contact_email'])

/** Removes queries, fragments and media signatures from the URLs in a text. */
export function scrubText(text: string): string {
  if (/^[?#]/.test(text)) return ''
  return text
    .replaceAll(urlPattern, (found) => found.replace(/[?#].*/, ''))
    .replaceAll(mediaSignature, '/media/-/')
}

/**
 * Removes queries, fragments and media signatures from all strings of a report, in place. These parts could be used to
 * impersonate the user, or reveal which page or ad the user came from.
 */
export function scrubReport(report: unknown, inFeedback = false): void {
  if (typeof report !== 'object' || report === null) return
  const fields = report as Record<string, unknown>
  for (const [name, value] of Object.entries(fields)) {
    if (inFeedback && userWrittenFields.has(name)) continue
    if (typeof value === 'string') fields[name] = scrubText(value)
    else if (!ArrayBuffer.isView(value)) scrubReport(value, name === 'feedback')
  }
}

/** Returns `sandbox` if the host contains the value of SANDBOX_HOST_SUFFIX, at its end or anywhere else. */
export function environmentOf(host: string, sandboxHostSuffix: string | undefined): 'sandbox' | 'production' {
  return sandboxHostSuffix && host.includes(sandboxHostSuffix) ? 'sandbox' : 'production'
}
