import { Type, type Static } from 'typebox'
import { LanguageCode, nullable, stringEnum } from '#contract/schemas.ts'
import { trackingKeys } from '#contract/tracking.ts'
import { command } from './command.ts'
import { roles } from './roles.ts'

/** Rate limits per account or user, and per IP address (docs/security.md). */
export const rateLimitNames = [
  'signInAccount',
  'signInIp',
  'registerIp',
  'mailLinksAccount',
  'cardFailuresUser',
  'cardFailuresIp',
  'contactIp',
  'apiUser',
  'apiIp',
] as const
export type RateLimitName = (typeof rateLimitNames)[number]

/**
 * Bounds of the rate limits that can be set in the studio. A lower limit could lock operators out of the studio or stop
 * customers from paying; a higher limit would have no effect. Environment variables are not bounded.
 */
export const rateLimitBounds: Record<RateLimitName, { min: string; max: string }> = {
  signInAccount: { min: '5/min', max: '60/min' },
  signInIp: { min: '20/min', max: '3000/min' },
  registerIp: { min: '5/h', max: '6000/h' },
  mailLinksAccount: { min: '1/h', max: '20/h' },
  cardFailuresUser: { min: '2/h', max: '50/h' },
  cardFailuresIp: { min: '20/h', max: '5000/h' },
  contactIp: { min: '1/h', max: '1000/h' },
  apiUser: { min: '120/min', max: '6000/min' },
  apiIp: { min: '600/min', max: '100000/min' },
}

/** The runtime settings. */
export const settingNames = ['contact_email', 'mail_from', ...trackingKeys, ...rateLimitNames] as const
export type SettingName = (typeof settingNames)[number]

/** A setting with its effective value; limits are written as `20/min`. */
export const Setting = Type.Object({
  name: stringEnum(settingNames),
  value: nullable(Type.String()),
  /** True if the value was set in the studio; false if it comes from the environment variable or is the default. */
  custom: Type.Boolean(),
})
export type Setting = Static<typeof Setting>

const Settings = Type.Object({
  /** True while maintenance mode is on. */
  maintenance: Type.Boolean(),
  /** The offered languages, the default first. */
  languages: Type.Array(LanguageCode),
  settings: Type.Array(Setting),
  /** The secrets, and whether the environment has them. Their values are never returned. */
  secrets: Type.Array(Type.Object({ name: Type.String(), set: Type.Boolean() })),
})
export type Settings = Static<typeof Settings>

export const showSettings = command({
  method: 'GET',
  path: '/api/studio/settings',
  command: 'settings show',
  roles,
  summary: 'Lists the runtime settings, and which secrets are set',
  refuses: [],
  info: Settings,
})

export const changeSetting = command({
  method: 'POST',
  path: '/api/studio/settings',
  command: 'settings change',
  args: ['name', 'value'],
  roles: ['owner'],
  summary:
    'Changes a setting; every process applies it within two seconds. Null resets it to the environment variable',
  refuses: ['settingInvalid', 'limitOutOfBounds'],
  body: Type.Object({ name: stringEnum(settingNames), value: nullable(Type.String({ maxLength: 200 })) }),
  info: Settings,
  refusalSchemas: {
    /** The bounds of a limit. */
    500: Type.Object({
      field: Type.String(),
      min: Type.Optional(Type.String()),
      max: Type.Optional(Type.String()),
    }),
  },
})

export const setMaintenance = command({
  method: 'POST',
  path: '/api/studio/settings/maintenance',
  command: 'maintenance',
  args: ['on'],
  roles: ['owner'],
  summary: 'Enables (true) or disables (false) maintenance mode',
  refuses: [],
  body: Type.Object({ on: Type.Boolean() }),
  info: Settings,
})

export const setOfferedLanguages = command({
  method: 'POST',
  path: '/api/studio/settings/languages',
  command: 'languages set',
  roles: ['owner'],
  summary:
    'Sets the languages that the site offers, the default first; every process applies it within two seconds',
  refuses: ['settingInvalid'],
  body: Type.Object({ languages: Type.Array(LanguageCode, { maxItems: 5 }) }),
  info: Settings,
})
