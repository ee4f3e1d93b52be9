/*
 * Checks the passes in links to media, as server/features/media/signed-urls.ts makes them, for nginx's njs module (0.7.9 or
 * newer, so without the newest syntax). `mediaSecrets` is the list that nginx has read with js_preload_object.
 */
import crypto from 'crypto'

/** A comparison that takes as long wherever the first difference is. */
function same(given, right) {
  if (given.length !== right.length) return false
  let differences = 0
  for (let i = 0; i < right.length; i++) differences |= given.charCodeAt(i) ^ right.charCodeAt(i)
  return differences === 0
}

function isSigned(mac, text) {
  // A list that nginx has read ahead has no methods.
  for (let i = 0; i < mediaSecrets.length; i++) {
    // As the site demands it; a file that holds no list must not come to secrets of one letter.
    if (!(mediaSecrets[i].length >= 32)) continue
    const right = crypto.createHmac('sha256', mediaSecrets[i]).update(text).digest('base64url')
    if (same(mac, right)) return true
  }
  return false
}

/** For js_set: how many seconds the pass of this request is good for yet, or `expired` or `forged`. */
function secondsLeft(r) {
  const parts = r.variables.media_signature.split('.')
  const expires = parts[0]
  const text = `${r.variables.media_asset}|${parts[1]}|${expires}`
  if (parts.length !== 3 || !isSigned(parts[2], text)) return 'forged'
  const left = Number(expires) - Date.now() / 1000
  return left > 0 ? String(Math.ceil(left)) : 'expired'
}

export default { secondsLeft }
