/**
 * An address as the tries of its account are counted: without case, letter by letter as the database does it. In
 * JavaScript a text's İ becomes two characters, so that victİm@… would open victim's account with tries of its own.
 */
export function foldEmail(email: string): string {
  return Array.from(email, (letter) => Array.from(letter.toLowerCase())[0]).join('')
}
