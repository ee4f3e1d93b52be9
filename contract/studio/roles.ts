/**
 * The roles of operators: the owner may do everything, the editor manages the content, support manages members and
 * their orders, the analyst has read access. Each command of the studio declares in `roles` who may run it.
 */
export const roles = ['owner', 'editor', 'support', 'analyst'] as const
export type Role = (typeof roles)[number]

/** Returns true if the text is a role. */
export function isRole(text: string): text is Role {
  return roles.some((role) => role === text)
}
