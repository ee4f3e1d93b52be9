import type { Job } from '#server/platform/jobs/jobs.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { purgeTurns } from '#server/platform/database/limits.ts'
import { dayMs } from '#server/platform/clock.ts'
import { deleteOldFailures } from './credentials/attempt-queries.ts'
import type { MembersContext } from './members-context.ts'
import { anyResetRequests, deleteOldLinks } from './credentials/link-queries.ts'
import { answerResetRequests } from './credentials/passwords/reset-password.ts'
import { forgetGuests } from './account/forget-guests.ts'
import { purgeSessions } from './sessions/sessions.ts'

export { answerInTransaction } from './answer-in-transaction.ts'
export { deleteFailures } from './credentials/attempt-queries.ts'
export { knownDevice, rememberDevice } from './sessions/device-cookie.ts'
export { checkEmail, checkName } from './credentials/check-profile.ts'
export {
  deleteOnRequest,
  findByEmail,
  lockAccount,
  listSessionsOf,
  loadAccount,
  signOutEverywhere,
  type KnownAccount,
} from './account/support-actions.ts'
export { forgiveLogin, limitNetwork, throttleLogin } from './credentials/login-throttle.ts'
export { cookieFor, cookieName } from './members-context.ts'
export { checkPassword, hashPassword, verifyPassword } from './credentials/passwords/passwords.ts'
export { holdSession } from './sessions/sessions.ts'
export { isGuest } from './sessions/sign-in-as.ts'
export { loadUser, type UserContext } from './account/load-user.ts'
export {
  giveTokens,
  identify,
  keepViewer,
  newGuest,
  noteArrival,
  requireStanding,
  standingViewer,
} from './sessions/viewer.ts'
export { joinAccount } from './account/join-account.ts'
export { insertUser } from './queries.ts'
export type { BegunSession } from './lifecycle-hooks.ts'
export type { MembersContext } from './members-context.ts'

/** Consecutive failures are deleted after a day without another. */
const failuresKeptMs = dayMs

/** Returns the scheduled jobs: deleting expired sessions, links, delays and counts, and answering password resets. */
export function membersJobs(context: MembersContext): Job[] {
  const { db, clock } = context
  const purge = async () => {
    await inTransaction(db, (tx) => purgeSessions(tx, clock.now()))
    await purgeTurns(db, clock.now())
    await inTransaction(db, (tx) => deleteOldLinks(tx, clock.now()))
    await deleteOldFailures(db, new Date(clock.now().getTime() - failuresKeptMs))
  }
  const answer = (signal: AbortSignal) => answerResetRequests(context, signal)
  return [
    { name: 'purge-member-sessions', everySeconds: 600, run: purge },
    { name: 'forget-guests', everySeconds: 3600, run: (signal) => forgetGuests(context, signal) },
    {
      name: 'answer-reset-requests',
      everySeconds: 5,
      dueWhen: anyResetRequests,
      wakeOn: 'reset_requests',
      run: answer,
    },
  ]
}
