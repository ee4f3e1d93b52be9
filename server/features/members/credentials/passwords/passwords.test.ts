import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { checkPassword, hashPassword, verifyPassword } from './passwords.ts'

test.each([
  ['', 'passwordTooShort'],
  ['7 signs', 'passwordTooShort'],
  ['👩‍💻👩‍💻', 'passwordTooShort'],
  ['x y'.repeat(43), 'passwordTooLong'],
  ['password', 'passwordCommon'],
  ['PassWord1', 'passwordCommon'],
  ['liverpool2024', 'passwordCommon'],
  ['12345678', 'passwordCommon'],
  ['qwertyuiop', 'passwordCommon'],
  ['aaaaaaaaaaaa', 'passwordCommon'],
  ['Motdepasse!', 'passwordCommon'],
  ['jonathan', 'passwordCommon'],
  ['champion', 'passwordCommon'],
  ['midnight1', 'passwordCommon'],
  ['Bulldog!', 'passwordCommon'],
])('"%s" is refused: %s', (password, reason) => {
  expect(() => checkPassword(password, 'password')).toThrow(
    expect.objectContaining({ reason, info: { field: 'password' } }),
  )
})

test.each([
  '8 signs.',
  'n","jonathan","c',
  '       xy',
  'пароль на троих',
  '😀😁😂🤣😃😄😅😆',
  `${'long '.repeat(25)}one`,
])('"%s" is accepted', (password) => expect(() => checkPassword(password, 'password')).not.toThrow())

test('a password is stored as Argon2id with 19 MiB, two rounds and one lane, and verified', async () => {
  const hash = await hashPassword('nine parts of a drama')
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await verifyPassword(hash, 'nine parts of a drama')).toBe(true)
  expect(await verifyPassword(hash, 'Nine parts of a drama')).toBe(false)
})

test('a password is correct whether an accented letter is typed as one character or as two', async () => {
  expect(await verifyPassword(await hashPassword('caf\u00e9 au lait'), 'cafe\u0301 au lait')).toBe(true)
})

test('every password is wrong if there is no account', async () => {
  expect(await verifyPassword(undefined, 'nine parts of a drama')).toBe(false)
  expect(await verifyPassword(null, '')).toBe(false)
})

test('a damaged hash throws an error, and the next hash is verified', async () => {
  await expect(verifyPassword('no hash', 'nine parts of a drama')).rejects.toThrow()
  const hash = await hashPassword('nine parts of a drama')
  expect(await verifyPassword(hash, 'nine parts of a drama')).toBe(true)
})

/** Only Linux has priorities per thread. In a test run with a low priority, all threads have that priority. */
const hasThreadPriorities = process.platform === 'linux' && getPriority() < 10

test('only hashing runs at low priority', async () => {
  const before = getPriority()
  await hashPassword('nine parts of a drama')
  expect(getPriority()).toBe(before)
  if (!hasThreadPriorities) return
  const behind = hashingThreads()
  expect(behind.length).toBeGreaterThan(0)
  expect(behind).not.toContain(String(process.pid))
})

test('hashing works if the site was started with a lower priority and may not raise it', () => {
  if (process.platform !== 'linux') return
  const module = join(import.meta.dirname, 'run-hashing.ts')
  const script = `import(${JSON.stringify(module)}).then(async ({ runHashing }) => console.log(await runHashing({ password: 'nine parts' })))`
  const unprivileged = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-sys_nice'] : []
  const [program = '', ...args] = [...unprivileged, 'nice', '-n', '19', process.execPath, '-e', script]
  expect(execFileSync(program, args, { encoding: 'utf8' })).toMatch(/^\$argon2id\$/)
})

test('an idle hashing thread ends and frees its memory, and a later password starts a new thread', async () => {
  if (!hasThreadPriorities) return
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const hash = await hashPassword('nine parts of a drama')
  vi.advanceTimersByTime(29_000)
  expect(await verifyPassword(hash, 'nine parts of a drama')).toBe(true)
  vi.advanceTimersByTime(29_000)
  expect(hashingThreads().length).toBeGreaterThan(0)
  vi.advanceTimersByTime(1_000)
  vi.useRealTimers()
  await expect.poll(hashingThreads).toEqual([])
  expect(await verifyPassword(hash, 'nine parts of a drama')).toBe(true)
})

const hashingThreads = () => readdirSync('/proc/self/task').filter((thread) => nicenessOf(thread) === 10)

function nicenessOf(thread: string): number {
  const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
}
