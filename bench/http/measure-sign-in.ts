import { verify } from '@node-rs/argon2'
import { availableParallelism } from 'node:os'
import pg from 'pg'
import { hashPassword } from '#server/features/members/credentials/passwords/passwords.ts'
import { measureP95 } from './measure-latency.ts'
import { median } from './compare-load.ts'
import { runClients } from './run-clients.ts'
import type { BenchSite } from '#bench/site/start-bench-site.ts'
import { atLeast, atMost, atMostMilliseconds, type Row } from '#bench/result-table.ts'
import { findBenchEpisode, createGuest } from '#bench/site/bench-guests.ts'

const rateTarget = 0.7
const slowerTarget = 3
const tellingAimMs = 10
const clients = 16
/** Number of clients that browse during the sign-ins: too few to load the machine on their own. */
const visitors = 4
const attemptsForMs = 5000
const tries = 200
const registrations = 100
const registeringAimMs = 2
/** Number of accounts. Each is tried at most four times, which the login throttle allows. */
const members = 10_000
const password = 'nobody needs to know this one'

/**
 * Compares sign-ins per second with argon2 alone. Also measures how sign-ins slow down other requests, and whether
 * response times reveal which accounts exist.
 */
export async function measureSignIn(site: BenchSite): Promise<Row[]> {
  const hash = await insertMembers(site)
  const signIn = attemptsAt(site)
  const started = performance.now()
  const attempts = await runClients(clients, () => performance.now() - started > attemptsForMs, signIn.anyhow)
  const ours = (attempts * 1000) / (performance.now() - started)
  const rate = atLeast(
    `sign-ins with right and wrong passwords, ${clients} clients, against argon2 alone`,
    ours,
    await bareRate(hash),
    rateTarget,
    '/s',
  )
  const { wrong, unknown } = signIn
  const { taken, free } = registrationsAt(site)
  const resets = resetsAt(site)
  return [
    rate,
    ...(await compareOthers(site, signIn)),
    atMostMilliseconds(
      `sign-in, known against unknown address, difference over ${tries} tries`,
      await compareTimes(tries, wrong, unknown),
      tellingAimMs,
    ),
    atMostMilliseconds(
      `registration, taken against free address, difference over ${registrations} tries`,
      await compareTimes(registrations, taken, free),
      registeringAimMs,
    ),
    atMostMilliseconds(
      `password reset, known against unknown address, difference over ${tries} tries`,
      await compareTimes(tries, resets.known, resets.unknown),
      tellingAimMs,
    ),
  ]
}

/** Inserts accounts with the same password. @returns the password's hash */
export async function insertMembers({ connection }: BenchSite): Promise<string> {
  const hash = await hashPassword(password)
  const pool = new pg.Pool(connection)
  try {
    await pool.query(
      `INSERT INTO users (id, email, referral_code, language, password_hash, member_since)
       SELECT 'usr_bench' || n, 'known-' || n || '@example.com', 'bench' || n, 'en', $1, now()
       FROM generate_series(1, ${members}) n ON CONFLICT DO NOTHING`,
      [hash],
    )
  } finally {
    await pool.end()
  }
  return hash
}

type SignIn = ReturnType<typeof attemptsAt>

/** Sends a request without a session cookie. @throws Error if the response has another code than expected */
async function post(url: string, body: Record<string, string>, code: number): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify(body),
  })
  // The cast is safe: the site sent the response.
  const answer = (await response.json()) as { code: number }
  if (answer.code !== code) throw new Error(`${url} returned ${JSON.stringify(answer)}`)
}

const emailOfMember = (number: number) => `known-${1 + (number % members)}@example.com`

/** Returns functions that try to sign in, each time to a different account. */
export function attemptsAt({ url }: Pick<BenchSite, 'url'>) {
  let next = 0
  const attempt = (email: string, typed: string, code: number) =>
    post(`${url}/api/user/login`, { email, password: typed }, code)
  const right = () => attempt(emailOfMember(next++), password, 200)
  const wrong = () => attempt(emailOfMember(next++), 'not the one', 500)
  return {
    wrong,
    unknown: () => attempt(`nobody-${next++}@example.com`, 'not the one', 500),
    anyhow: (turn: number) => (turn % 2 ? right() : wrong()),
  }
}

/** Returns functions that try to register, each time as a new guest with a different e-mail address. */
function registrationsAt({ url }: Pick<BenchSite, 'url'>) {
  let next = 0
  const attempt = (email: string, code: number) =>
    post(`${url}/api/user/register`, { email, password, repeat_password: password }, code)
  return {
    taken: () => attempt(emailOfMember(next++), 500),
    free: () => attempt(`new-${next++}@example.com`, 200),
  }
}

/** Returns functions that request a password reset, each time for a different e-mail address. */
function resetsAt({ url }: Pick<BenchSite, 'url'>) {
  let next = 0
  const ask = (email: string) => post(`${url}/api/user/password/forgot`, { email }, 200)
  return {
    known: () => ask(emailOfMember(next++)),
    unknown: () => ask(`nobody-${next++}@example.com`),
  }
}

/** Measures the rate of the hash library alone, with the same concurrency as the site. */
async function bareRate(hash: string): Promise<number> {
  const atOnce = Math.min(4, Math.max(1, availableParallelism() - 1))
  const started = performance.now()
  const isOver = () => performance.now() - started > attemptsForMs
  const verifications = await runClients(atOnce, isOver, () => verify(hash, password))
  return (verifications * 1000) / (performance.now() - started)
}

async function compareOthers(site: BenchSite, signIn: SignIn): Promise<Row[]> {
  const headers = { cookie: await createGuest(site) }
  const { videoId } = await findBenchEpisode(site)
  const rows: Row[] = []
  for (const path of ['/api/homepage', `/api/video?id=${videoId}`]) {
    const measure = () => measureP95({ base: site.url, paths: [path], headers }, visitors)
    const quiet = await measure()
    let over = false
    const [busy] = await Promise.all([
      measure().finally(() => (over = true)),
      runClients(clients, () => over, signIn.anyhow),
    ])
    const name = path.split('?')[0]
    rows.push(
      atMost(
        `p95 of ${name} while ${clients} clients sign in, against no sign-ins`,
        busy,
        quiet,
        slowerTarget,
      ),
    )
  }
  return rows
}

/**
 * Runs two functions alternately, so that a busy moment of the machine affects both.
 * @returns the difference of their medians in milliseconds
 */
async function compareTimes(
  turns: number,
  one: () => Promise<void>,
  other: () => Promise<void>,
): Promise<number> {
  const times = { one: [] as number[], other: [] as number[] }
  const timed = async (work: () => Promise<void>) => {
    const started = performance.now()
    await work()
    return performance.now() - started
  }
  for (let turn = 0; turn < turns; turn++) {
    times.one.push(await timed(one))
    times.other.push(await timed(other))
  }
  return Math.abs(median(times.one) - median(times.other))
}
