/**
 * The roles of operators: the owner may do everything, the editor manages the content, support manages members and
 * their orders, the analyst has read access. Each command of the studio declares in `roles` who may run it.
 */
export const roles = ['owner', 'editor', 'support', 'analyst'] as const
export type Role = (typeof roles)[number]

/**
 * Returns whether a role may use a command or an area of the studio.
 * @param use `roles`: the roles that the command or area declares
 */
export function isAllowed(role: Role, use: { readonly roles: readonly Role[] }): boolean {
  return use.roles.includes(role)
}

/** Returns true if the text is a role. */
export function isRole(text: string): text is Role {
  return roles.some((role) => role === text)
}
