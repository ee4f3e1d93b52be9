import { Refusal } from '#contract/errors.ts'
import { languages } from '#contract/languages.ts'
import {
  changeSetting,
  rateLimitBounds,
  rateLimitNames,
  setOfferedLanguages,
  setMaintenance,
  settingNames,
  showSettings,
  type RateLimitName,
  type SettingName,
  type Settings,
} from '#contract/studio/settings.ts'
import { trackingKeys } from '#contract/tracking.ts'
import { transactionalCommand, readCommand, type Command } from '#server/features/studio/define-command.ts'
import type { SettingsContext } from '#server/features/studio/studio-context.ts'
import { isPixelId, putTrackingSetting, selectTrackingSettings } from '#server/features/tracking/tracking.ts'
import { isEmailAddress } from '#server/platform/email-address.ts'
import { readMailFrom } from '#server/platform/config/config.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import type { RuntimeOverrides } from '#server/platform/config/runtime-settings.ts'
import { readRateLimit, formatRateLimit, type RateLimit } from '#server/platform/config/read-env.ts'
import type { Db, Tx } from '#server/tables.ts'
import * as queries from './settings-queries.ts'

type Context = SettingsContext & { db: Db }

/** Commands for the runtime settings, which apply without a restart. */
export const settingsCommands: Command[] = [
  readCommand(showSettings, async (context) => ({ info: await loadSettings(context) })),

  transactionalCommand(changeSetting, async (context, tx, { name, value }) => {
    const transactionContext = { ...context, db: tx }
    const before = await loadSettings(transactionContext)
    await writeSetting(tx, name, value === null ? null : value.trim())
    const after = await loadSettings(transactionContext)
    const findSetting = ({ settings }: Settings) => settings.find((setting) => setting.name === name)
    return {
      answer: { info: after },
      change: { subject: `setting ${name}`, before: findSetting(before), after: findSetting(after) },
    }
  }),

  transactionalCommand(setMaintenance, async (context, tx, { on }) => {
    const own = await queries.lockOwnSettings(tx)
    await queries.updateOwnSettings(tx, { ...own, maintenance: on })
    return {
      answer: { info: await loadSettings({ ...context, db: tx }) },
      change: { subject: 'setting maintenance', before: own.maintenance ?? false, after: on },
    }
  }),

  transactionalCommand(setOfferedLanguages, async (context, tx, { languages: offered }) => {
    const [first, ...others] = offered
    if (!first || new Set(offered).size < offered.length)
      throw new Refusal('settingInvalid', { field: 'languages' })
    const own = await queries.lockOwnSettings(tx)
    const { languages: before, ...rest } = own
    // The default (all languages in their usual order) is not stored.
    const isDefault = offered.join() === languages.join()
    await queries.updateOwnSettings(tx, isDefault ? rest : { ...rest, languages: [first, ...others] })
    return {
      answer: { info: await loadSettings({ ...context, db: tx }) },
      change: { subject: 'setting languages', before: before ?? languages, after: offered },
    }
  }),
]

async function loadSettings({ db, environment, secretsSet }: Context): Promise<Settings> {
  const { operator, mail, limits, tracking } = environment
  const [own, pixels] = await Promise.all([queries.selectOwnSettings(db), selectTrackingSettings(db)])
  const limitOf = (name: RateLimitName) =>
    [own.limits?.[name], limits[name]].map((each) => each && formatRateLimit(each))
  const valuesByName: Record<string, readonly (string | undefined)[]> = {
    contact_email: [own.contact_email, operator.email],
    mail_from: [own.mail_from, mail.from],
    ...Object.fromEntries(trackingKeys.map((key) => [key, [pixels[key], tracking.pixels[key]]])),
    ...Object.fromEntries(rateLimitNames.map((name) => [name, limitOf(name)])),
  }
  return {
    maintenance: own.maintenance ?? false,
    languages: [...(own.languages ?? languages)],
    settings: settingNames.map((name) => {
      const [ownValue, environmentValue] = valuesByName[name] ?? []
      return { name, value: ownValue ?? environmentValue ?? null, custom: ownValue !== undefined }
    }),
    secrets: secretsSet,
  }
}

/**
 * Stores the operators' value of a setting; null restores the environment's value.
 * @throws Refusal settingInvalid, limitOutOfBounds
 */
async function writeSetting(tx: Tx, name: SettingName, value: string | null): Promise<void> {
  const pixel = trackingKeys.find((key) => key === name)
  if (pixel) {
    if (value !== null && !isPixelId(value)) throw invalid()
    return putTrackingSetting(tx, pixel, value)
  }
  const {
    [name]: _,
    limits = {},
    ...rest
  } = { ...(await queries.lockOwnSettings(tx)) } as RuntimeOverrides & Record<string, unknown>
  const limitName = rateLimitNames.find((each) => each === name)
  if (!limitName) {
    const text =
      value === null ? {} : { [name]: name === 'mail_from' ? parseMailFrom(value) : validateEmail(value) }
    return queries.updateOwnSettings(tx, { limits, ...rest, ...text })
  }
  const { [limitName]: __, ...others } = limits
  const next = value === null ? others : { ...others, [limitName]: validateLimit(limitName, value) }
  return queries.updateOwnSettings(tx, { ...rest, limits: next })
}

const invalid = () => new Refusal('settingInvalid', { field: 'value' })

function validateEmail(text: string): string {
  if (!isEmailAddress(text)) throw invalid()
  return text
}

const parseMailFrom = (text: string) => orInvalid(() => readMailFrom({ MAIL_FROM: text }))
const parseLimit = (text: string): RateLimit => orInvalid(() => readRateLimit({ LIMIT: text }, 'LIMIT'))
const rateOf = ({ max, seconds }: RateLimit) => max / seconds

/**
 * Parses a rate limit and checks its bounds.
 * @throws Refusal settingInvalid, limitOutOfBounds
 */
function validateLimit(name: RateLimitName, text: string): RateLimit {
  const requested = parseLimit(text)
  const bounds = rateLimitBounds[name]
  const [minimum, maximum] = [parseLimit(bounds.min), parseLimit(bounds.max)]
  // `max` has a separate minimum, because a page sends many calls at once. A limit of 1 call a second would refuse most
  // of them, although its rate is high enough.
  const isInBounds =
    requested.max >= minimum.max &&
    rateOf(requested) >= rateOf(minimum) &&
    rateOf(requested) <= rateOf(maximum)
  if (!isInBounds) throw new Refusal('limitOutOfBounds', { field: 'value', ...bounds })
  return requested
}

/** Runs a parser of environment variables and reports its errors as `settingInvalid`. */
function orInvalid<T>(read: () => T | undefined): T {
  try {
    const value = read()
    if (value === undefined) throw invalid()
    return value
  } catch (error) {
    throw error instanceof ConfigError ? invalid() : error
  }
}
