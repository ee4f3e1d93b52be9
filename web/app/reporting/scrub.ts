/** An address up to its query or fragment: what follows may hold a click id, a search or a mail link's secret. */
const tail = /((?:https?:\/\/|\/)[^\s"'?#]*)[?#][^\s"']*/g
/** A media link is a pass for whoever holds it (security.md, "Media"). */
const pass = /\/media\/[^/\s"']+\//g

/** What a person wrote into the feedback dialog is told as they wrote it. */
const ownWords = new Set(['message', 'name', 'contact_email'])

function scrubText(text: string): string {
  if (/^[?#]/.test(text)) return ''
  return text.replaceAll(tail, '$1').replaceAll(pass, '/media/-/')
}

/** Takes out of a report, in place, what could let somebody act as the person or know where they came from. */
export function scrub(report: unknown, inFeedback = false): void {
  if (typeof report !== 'object' || report === null) return
  const fields = report as Record<string, unknown>
  for (const [name, value] of Object.entries(fields)) {
    if (inFeedback && ownWords.has(name)) continue
    if (typeof value === 'string') fields[name] = scrubText(value)
    else if (!ArrayBuffer.isView(value)) scrub(value, name === 'feedback')
  }
}
