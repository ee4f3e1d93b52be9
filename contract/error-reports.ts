/** An address with its query and fragment, which may hold a click id, a search or a mail link's secret. */
const address = /(?:https?:\/\/|\/)[^\s"']*/g
/** Anyone who has a media link can use it (security.md, "Media"). */
const pass = /\/media\/[^/\s"']+\//g

/** A person's feedback is reported as they wrote it. */
const ownWords = new Set(['message', 'name', 'contact_email'])

/** Takes queries, fragments and media passes out of the addresses in a text. */
export function scrubText(text: string): string {
  if (/^[?#]/.test(text)) return ''
  return text.replaceAll(address, (found) => found.replace(/[?#].*/, '')).replaceAll(pass, '/media/-/')
}

/** Removes from a report, in place, whatever could let somebody impersonate the person or see where they came from. */
export function scrub(report: unknown, inFeedback = false): void {
  if (typeof report !== 'object' || report === null) return
  const fields = report as Record<string, unknown>
  for (const [name, value] of Object.entries(fields)) {
    if (inFeedback && ownWords.has(name)) continue
    if (typeof value === 'string') fields[name] = scrubText(value)
    else if (!ArrayBuffer.isView(value)) scrub(value, name === 'feedback')
  }
}

/** A host that contains the operator's suffix is a sandbox. */
export function environmentOf(host: string, sandboxHostSuffix: string | undefined): 'sandbox' | 'production' {
  return sandboxHostSuffix && host.includes(sandboxHostSuffix) ? 'sandbox' : 'production'
}
