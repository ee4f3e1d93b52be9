import { isEmailAddress } from '#server/platform/email-address.ts'
import { accessSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from './config-error.ts'
import { readText, type Env } from './read-env.ts'

/** The operator's name, addresses and tax data, as shown to viewers. */
export interface OperatorConfig {
  /** The site's name, shown in its header, titles, texts, on home screens and in search engines. */
  site: string
  /** The path of the logo file; undefined for the default logo. */
  logo: string | undefined
  /** The person or company and its postal address, shown in the imprint. */
  name: string | undefined
  address: string | undefined
  /** The contact address, also shown in the imprint. */
  email: string | undefined
  /** The seller's tax number, printed on receipts. */
  taxNumber: string | undefined
  /** The tax rate included in every price, in hundredths of a percent. */
  taxRate: number
}

/**
 * Reads the operator's settings.
 * @throws ConfigError if CONTACT_EMAIL is not an address, TAX_RATE not a percentage or SITE_LOGO_PATH not a readable
 * image
 */
export function readOperator(env: Env): OperatorConfig {
  const email = readText(env, 'CONTACT_EMAIL')
  if (email !== undefined && !isEmailAddress(email))
    throw new ConfigError(`CONTACT_EMAIL must be an address such as hello@drama.example, not "${email}".`)
  return {
    site: readText(env, 'SITE_NAME') ?? 'Cliffhanger',
    logo: readLogo(env),
    name: readText(env, 'OPERATOR_NAME'),
    address: readText(env, 'OPERATOR_ADDRESS'),
    email,
    taxNumber: readText(env, 'TAX_NUMBER'),
    taxRate: readTaxRate(env),
  }
}

function readTaxRate(env: Env): number {
  const text = readText(env, 'TAX_RATE') ?? '0'
  const rate = /^\d{1,2}(\.\d{1,2})?$/.test(text) ? Math.round(Number(text) * 100) : undefined
  if (rate === undefined)
    throw new ConfigError(`TAX_RATE must be a percentage such as 19 or 8.1, not "${text}".`)
  return rate
}

function readLogo(env: Env): string | undefined {
  const path = readText(env, 'SITE_LOGO_PATH')
  if (path === undefined) return undefined
  const file = resolve(path)
  if (!/\.(svg|png|jpe?g|webp)$/i.test(file))
    throw new ConfigError(`SITE_LOGO_PATH must be an SVG, PNG, JPEG or WebP file, not "${path}".`)
  try {
    accessSync(file, constants.R_OK)
  } catch {
    throw new ConfigError(`SITE_LOGO_PATH: there is no file ${file} that can be read.`)
  }
  return file
}
