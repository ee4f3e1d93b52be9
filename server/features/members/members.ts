import type { Job } from '#server/platform/jobs/jobs.ts'
import { purgeAttemptCounts } from '#server/platform/database/attempt-limits.ts'
import { dayMs } from '#server/platform/clock.ts'
import { deleteExpiredStates } from './credentials/identity-queries.ts'
import { deleteExpiredLoginFailures } from './credentials/login-attempt-queries.ts'
import type { MembersContext } from './members-context.ts'
import { hasPasswordResetRequests, deleteExpiredMailLinks } from './credentials/mail-link-queries.ts'
import { sendResetLinks } from './credentials/passwords/reset-password.ts'
import { purgeIdleGuests } from './account/purge-idle-guests.ts'
import { purgeSessions } from './sessions/sessions.ts'

export { inTransactionWithHeaders } from './in-transaction-with-headers.ts'
export { deleteLoginFailures } from './credentials/login-attempt-queries.ts'
export { findKnownDevice, rememberDevice } from './sessions/device-cookie.ts'
export { checkEmail, checkName } from './credentials/check-profile.ts'
export {
  deleteUserAsOperator,
  findUserIdByEmail,
  lockAccount,
  listUserSessions,
  loadAdminAccount,
  signOutEverywhere,
  type AdminAccount,
} from './account/support-actions.ts'
export { rethrowLoginError, limitByNetwork, throttleLogin } from './credentials/login-throttle.ts'
export { serializeCookie, cookieName } from './members-context.ts'
export { checkPassword, hashPassword, verifyPassword } from './credentials/passwords/passwords.ts'
export { lockSession } from './sessions/sessions.ts'
export { isGuest } from './sessions/merge-guest.ts'
export { loadUser, type UserContext } from './account/load-user.ts'
export {
  setTokens,
  identify,
  ensureUserRow,
  newGuest,
  storeReferrer,
  requireActiveViewer,
  findActiveViewer,
} from './sessions/viewer.ts'
export { claimGuestRecords } from './account/claim-guest-records.ts'
export { insertUser } from './user-queries.ts'
export type { StartedSession } from './lifecycle-hooks.ts'
export type { MembersContext } from './members-context.ts'

/** Time without a failure after which an account's consecutive failures are deleted. */
const failureRetentionMs = dayMs

/**
 * Returns the scheduled jobs. They purge expired sessions, mail links, OAuth states, counts and idle guests, and send
 * password reset links.
 */
export function membersJobs(context: MembersContext): Job[] {
  const { db, clock } = context
  const purge = async (signal: AbortSignal) => {
    await purgeSessions(db, clock.now(), signal)
    await purgeAttemptCounts(db, clock.now(), { signal })
    await deleteExpiredMailLinks(db, clock.now(), { signal })
    await deleteExpiredStates(db, clock.now(), { signal })
    await deleteExpiredLoginFailures(db, new Date(clock.now().getTime() - failureRetentionMs), { signal })
  }
  const sendLinks = (signal: AbortSignal) => sendResetLinks(context, signal)
  return [
    { name: 'purge-member-sessions', everySeconds: 600, run: purge },
    { name: 'purge-idle-guests', everySeconds: 3600, run: (signal) => purgeIdleGuests(context, signal) },
    {
      name: 'send-reset-links',
      everySeconds: 10,
      dueWhen: hasPasswordResetRequests,
      wakeOn: 'password_reset_requests',
      run: sendLinks,
    },
  ]
}
