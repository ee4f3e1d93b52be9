import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** Common passwords that are not in the list of breached passwords: keyboard sequences, numbers and recent words. */
const extraCommonPasswords = new Set(
  `
  aaaaaa abcabc abcdef abcdefgh abcdefghi abcdefghij adminadmin adm1n1strator 4dm1n123 asdasdasd asdfghjkl; cliffhanger
  correcthorsebatterystaple fortnite instagram linkedin lkjhgf lkjhgfdsa login logmein mnbvcx mnbvcxzlk netflix oldpassword
  onedirection p@ssword pa$$word poiuyt poiuytrewq qsdfghjklm qwe12345 qwertyqwerty qwertz qwertzuiop qwerqwer roblox
  rootroot teamomucho thepassword tiktok toor trewq twitter voldemort wasd1234 xxxxxx yourpassword yxcvbnm1 zaq1zaq1
  zxczxc zxcvzxcv zzzzzz 1q2w3e4r5t6y7u8i 0123456789 01234567 012345678 0987654321 87654321 987654321 9876543210
  27182818 19841984 19851985 19861986 19871987 19881988 19891989 19901990 19921992 19931993 19941994 19951995 20012001`
    .trim()
    .split(/\s+/),
)

/** Common suffixes. */
const suffixes =
  ' 1 2 3 7 11 12 13 21 22 23 69 77 88 99 00 01 10 111 123 321 777 666 1234 12345 123456 1234567 12345678 123456789 ! !! 1! 12! 123! @ @1 @12 @123 @1234 # #1 . .1 _1 _123 2020 2021 2022 2023 2024 2025 2026 2020! 2021! 2022! 2023! 2024! 2025! 2026!'.split(
    ' ',
  )

let breachedPasswordsJson: string | undefined

/**
 * Returns whether a password is among those that attackers try first. Ignores case, because attackers try capital and
 * small letters.
 */
export function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase()
  if (new Set(lower).size < 3) return true
  return suffixes.some(
    (ending) => lower.endsWith(ending) && isListed(lower.slice(0, lower.length - ending.length)),
  )
}

/**
 * Returns whether a password is in the list. Searches the list as the JSON text of its file (half a megabyte), because
 * a set would need five times the memory.
 */
function isListed(password: string): boolean {
  // Read at the first check, so that processes that check no password do not load it.
  breachedPasswordsJson ??= readFileSync(breachedPasswordsPath(), 'latin1')
  return extraCommonPasswords.has(password) || breachedPasswordsJson.includes(JSON.stringify(password))
}

/** Returns the path of a list of 49,000 passwords from breaches, in lower case. */
function breachedPasswordsPath(): string {
  const require = createRequire(import.meta.url)
  return require.resolve('@zxcvbn-ts/language-common/src/passwords.json')
}
