import type { Endpoint } from '#contract/endpoint.ts'

/**
 * What an operator may be: the owner may do everything, the editor cares for the content, support for members and their
 * orders, the analyst reads.
 */
export const roles = ['owner', 'editor', 'support', 'analyst'] as const
export type Role = (typeof roles)[number]

/** A command of the studio: a call for the page at /studio, and words for the command line (`npm run studio -- …`). */
export interface CommandEndpoint extends Endpoint {
  path: `/api/studio/${string}`
  /** The words on the command line, such as `video publish`. The fields that follow them without a name are `args`. */
  command: string
  args?: readonly string[]
  /** It cannot be undone: the command line asks for these fields and for a confirmation first, unless `--yes` is given. */
  confirmed?: readonly string[]
  /** Who may do it. The command line is the owner's. */
  roles: readonly Role[]
}

/**
 * Declares a command. It is refused to callers who are not signed in or have another role. An operator's call carries no click
 * ids, so nothing is added to its input (compare `endpoint`).
 */
export function command<const E extends CommandEndpoint>(definition: E): E {
  return { ...definition, refuses: ['signInFirst', 'notAllowed', ...definition.refuses] }
}

/** Whether a call of the contract is a command of the studio. */
export function isCommand(endpoint: Endpoint): endpoint is CommandEndpoint {
  return 'command' in endpoint && 'roles' in endpoint
}

/** Whether a text names a role. */
export function isRole(text: string): text is Role {
  return roles.some((role) => role === text)
}
