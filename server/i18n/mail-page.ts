/** Replaces the placeholders in a mail's text with their values. @throws Error for a missing value */
export function interpolate(words: string, values: Record<string, string>): string {
  return words.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`A mail lacks the value ${name}`)
    return value
  })
}

/** Inline styles, because many mail programs ignore stylesheets. */
export const styles = {
  body: 'margin:0;background:#f4f4f6;color:#1b1b22;font:16px/1.5 system-ui,sans-serif',
  sheet: 'max-width:560px;margin:0 auto;padding:32px 24px;background:#fff',
  name: 'margin:0 0 24px;font-size:20px;font-weight:700',
  button:
    'display:inline-block;padding:12px 24px;border-radius:8px;background:#ff8a4c;color:#1c0b04;font-weight:600;text-decoration:none',
  table: 'width:100%;margin:0 0 24px;border-collapse:collapse',
  address: 'color:#8a3a12;font-size:13px;overflow-wrap:anywhere',
  line: 'padding:8px 0;border-bottom:1px solid #dcdce2;text-align:left;font-weight:400;vertical-align:top',
  amount: 'padding:8px 0 8px 16px;border-bottom:1px solid #dcdce2;text-align:right;overflow-wrap:anywhere',
  message: 'margin:0 0 16px;white-space:pre-wrap;overflow-wrap:anywhere',
  small: 'margin:24px 0 0;color:#5c5c68;font-size:13px;overflow-wrap:anywhere',
}

/** Returns the HTML document of a mail. */
export function renderMailPage(site: string, lang: string, subject: string, body: string): string {
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(subject)}</title>
</head>
<body style="${styles.body}">
<div style="${styles.sheet}">
<p style="${styles.name}">${escapeHtml(site)}</p>
${body}
</div>
</body>
</html>
`
}

export const paragraph = (html: string) => `<p style="margin:0 0 16px">${html}</p>`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? sign)
}
