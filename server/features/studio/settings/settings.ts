import { Refusal } from '#contract/errors.ts'
import { languages } from '#contract/languages.ts'
import {
  changeSetting,
  limitBounds,
  limitNames,
  offerLanguages,
  setMaintenance,
  settingNames,
  showSettings,
  type LimitName,
  type SettingName,
  type Settings,
} from '#contract/studio/settings.ts'
import { trackingKeys } from '#contract/tracking.ts'
import { changes, reads, type Command } from '#server/features/studio/command.ts'
import type { SettingsContext } from '#server/features/studio/studio-context.ts'
import { isPixelId, putTrackingSetting, selectTrackingSettings } from '#server/features/tracking/tracking.ts'
import { isAddress } from '#server/platform/email-address.ts'
import { readMailFrom } from '#server/platform/config/config.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import type { OwnSettings } from '#server/platform/config/runtime-settings.ts'
import { limit, writeLimit, type Limit } from '#server/platform/config/read-setting.ts'
import type { Db, Tx } from '#server/tables.ts'
import * as queries from './settings-queries.ts'

type Context = SettingsContext & { db: Db }

/** Commands for the settings that apply without a restart. */
export const settingsCommands: Command[] = [
  reads(showSettings, async (context) => ({ info: await load(context) })),

  changes(changeSetting, async (context, tx, { name, value }) => {
    const inside = { ...context, db: tx }
    const before = await load(inside)
    await change(tx, name, value === null ? null : value.trim())
    const after = await load(inside)
    const of = ({ settings }: Settings) => settings.find((setting) => setting.name === name)
    return {
      answer: { info: after },
      change: { subject: `setting ${name}`, before: of(before), after: of(after) },
    }
  }),

  changes(setMaintenance, async (context, tx, { on }) => {
    const own = await queries.lockOwn(tx)
    await queries.updateOwn(tx, { ...own, maintenance: on })
    return {
      answer: { info: await load({ ...context, db: tx }) },
      change: { subject: 'setting maintenance', before: own.maintenance ?? false, after: on },
    }
  }),

  changes(offerLanguages, async (context, tx, { languages: offered }) => {
    const [first, ...others] = offered
    if (!first || new Set(offered).size < offered.length)
      throw new Refusal('settingInvalid', { field: 'languages' })
    const own = await queries.lockOwn(tx)
    const { languages: before, ...rest } = own
    // All languages in their usual order are the initial state.
    const isUsual = offered.join() === languages.join()
    await queries.updateOwn(tx, isUsual ? rest : { ...rest, languages: [first, ...others] })
    return {
      answer: { info: await load({ ...context, db: tx }) },
      change: { subject: 'setting languages', before: before ?? languages, after: offered },
    }
  }),
]

async function load({ db, environment, secretsSet }: Context): Promise<Settings> {
  const { operator, mail, limits, tracking } = environment
  const [own, pixels] = await Promise.all([queries.selectOwn(db), selectTrackingSettings(db)])
  const limitOf = (name: LimitName) =>
    [own.limits?.[name], limits[name]].map((each) => each && writeLimit(each))
  const found: Record<string, readonly (string | undefined)[]> = {
    contact_email: [own.contact_email, operator.email],
    mail_from: [own.mail_from, mail.from],
    ...Object.fromEntries(trackingKeys.map((key) => [key, [pixels[key], tracking.pixels[key]]])),
    ...Object.fromEntries(limitNames.map((name) => [name, limitOf(name)])),
  }
  return {
    maintenance: own.maintenance ?? false,
    languages: [...(own.languages ?? languages)],
    settings: settingNames.map((name) => {
      const [ours, theirs] = found[name] ?? []
      return { name, value: ours ?? theirs ?? null, own: ours !== undefined }
    }),
    secrets: secretsSet,
  }
}

/** Sets a value, or resets it with null. @throws Refusal settingInvalid, limitOutOfBounds */
async function change(tx: Tx, name: SettingName, value: string | null): Promise<void> {
  const pixel = trackingKeys.find((key) => key === name)
  if (pixel) {
    if (value !== null && !isPixelId(value)) throw invalid()
    return putTrackingSetting(tx, pixel, value)
  }
  const {
    [name]: _,
    limits = {},
    ...rest
  } = { ...(await queries.lockOwn(tx)) } as OwnSettings & Record<string, unknown>
  const limitName = limitNames.find((each) => each === name)
  if (!limitName) {
    const text = value === null ? {} : { [name]: name === 'mail_from' ? mailFrom(value) : address(value) }
    return queries.updateOwn(tx, { limits, ...rest, ...text })
  }
  const { [limitName]: __, ...others } = limits
  const next = value === null ? others : { ...others, [limitName]: limitFrom(limitName, value) }
  return queries.updateOwn(tx, { ...rest, limits: next })
}

const invalid = () => new Refusal('settingInvalid', { field: 'value' })

function address(text: string): string {
  if (!isAddress(text)) throw invalid()
  return text
}

const mailFrom = (text: string) => orInvalid(() => readMailFrom({ MAIL_FROM: text }))
const readLimit = (text: string): Limit => orInvalid(() => limit({ LIMIT: text }, 'LIMIT'))
const rateOf = ({ max, seconds }: Limit) => max / seconds

/** @throws Refusal settingInvalid, limitOutOfBounds */
function limitFrom(name: LimitName, text: string): Limit {
  const wanted = readLimit(text)
  const bounds = limitBounds[name]
  const [least, most] = [readLimit(bounds.least), readLimit(bounds.most)]
  // At least the minimum's burst: ten a second is a high rate, but no page sends fewer at a time.
  const isFit = wanted.max >= least.max && rateOf(wanted) >= rateOf(least) && rateOf(wanted) <= rateOf(most)
  if (!isFit) throw new Refusal('limitOutOfBounds', { field: 'value', ...bounds })
  return wanted
}

/** Refuses values that the environment would refuse. */
function orInvalid<T>(read: () => T | undefined): T {
  try {
    const value = read()
    if (value === undefined) throw invalid()
    return value
  } catch (error) {
    throw error instanceof ConfigError ? invalid() : error
  }
}
