import type { MembersContext } from '#server/features/members/members.ts'

/** What the studio works with; made once, in server/context.ts. */
export interface StudioContext extends MembersContext {
  /** Whether buyers may pay with the sandbox. */
  sandboxOffered: boolean
}
