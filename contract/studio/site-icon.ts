import { Type, type Static } from 'typebox'
import { command } from './command.ts'
import { roles, type Role } from './roles.ts'

/** Limits of an icon: maximum file size in bytes, and side length in pixels. */
export const iconLimits = { bytes: 5 * 1024 ** 2, side: 512 }

/** The roles that may change the site's icon, by the command and by the upload endpoint. */
export const iconEditorRoles: readonly Role[] = ['owner', 'editor']
export const iconPath = '/api/studio/icon'
export const iconCommand = {
  path: iconPath,
  command: 'icon change',
  summary: 'Sets the site’s icon from a square image; viewers see it within two seconds',
} as const

export const SiteIcon = Type.Object({
  /** The URL of the image; it changes with the icon. */
  address: Type.String(),
  /**
   * True if the icon was uploaded in the studio; false if it is set by the environment variable or is the built-in
   * icon.
   */
  custom: Type.Boolean(),
})
export type SiteIcon = Static<typeof SiteIcon>

export const showIcon = command({
  method: 'GET',
  path: iconPath,
  command: 'icon show',
  roles,
  summary: "Shows the site's icon, and whether it was uploaded",
  refuses: [],
  info: SiteIcon,
})

export const removeIcon = command({
  method: 'DELETE',
  path: iconPath,
  command: 'icon remove',
  roles: iconEditorRoles,
  summary:
    'Removes the uploaded icon: the site shows the icon of the environment variable, or the built-in one',
  refuses: [],
  body: Type.Object({}),
  info: SiteIcon,
})
