import { Type, type Static } from 'typebox'
import { command, roles, type Role } from './command.ts'

/** What is taken for an icon: bytes of a file, and dots on each side. */
export const iconLimits = { bytes: 5 * 1024 ** 2, side: 512 }

/** Who chooses the site's icon, by the command and by the address that takes its picture. */
export const iconChoosers: readonly Role[] = ['owner', 'editor']
export const iconPath = '/api/studio/icon'
export const iconCommand = {
  path: iconPath,
  command: 'icon change',
  summary: 'Sets the site’s icon from a square image within two seconds',
} as const

export const SiteIcon = Type.Object({
  /** Of the picture; another icon has another one. */
  address: Type.String(),
  /** Brought in here; else it is the environment's, or the one that came with the site. */
  own: Type.Boolean(),
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
  roles: iconChoosers,
  summary: "Resets the icon to the environment variable's or the built-in one",
  refuses: [],
  body: Type.Object({}),
  info: SiteIcon,
})
