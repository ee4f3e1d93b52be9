/*
 * Verifies the signature in media URLs (created by server/features/media/signed-urls.ts). Runs in nginx's njs module
 * 0.7.9 or newer, so it uses no recent syntax. `mediaSecrets` is the list that nginx reads with js_preload_object.
 */
import crypto from 'crypto'

/** Compares two strings in constant time. */
function isEqual(actual, expected) {
  if (actual.length !== expected.length) return false
  let differences = 0
  for (let i = 0; i < expected.length; i++) differences |= actual.charCodeAt(i) ^ expected.charCodeAt(i)
  return differences === 0
}

function isSigned(mac, text) {
  // A preloaded list has no array methods, so a `for` loop is used.
  for (let i = 0; i < mediaSecrets.length; i++) {
    // Ignores short secrets, as the site does. If the file contains a string instead of a list, each element is a
    // single letter and is ignored too.
    if (!(mediaSecrets[i].length >= 32)) continue
    const expected = crypto.createHmac('sha256', mediaSecrets[i]).update(text).digest('base64url')
    if (isEqual(mac, expected)) return true
  }
  return false
}

/** For js_set: returns the remaining seconds of the request's signature, or `expired` or `forged`. */
function secondsLeft(r) {
  const parts = r.variables.media_signature.split('.')
  const expires = parts[0]
  const text = `${r.variables.media_asset}|${parts[1]}|${expires}`
  if (parts.length !== 3 || !isSigned(parts[2], text)) return 'forged'
  const remainingSeconds = Number(expires) - Date.now() / 1000
  return remainingSeconds > 0 ? String(Math.ceil(remainingSeconds)) : 'expired'
}

export default { secondsLeft }
