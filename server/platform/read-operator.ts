import { ConfigError } from './config-error.ts'
import { text, type Env } from './read-setting.ts'

/** Whose site it is, as its texts say it. */
export interface OperatorConfig {
  /** What the site is called in its texts and in search engines. */
  site: string
  /** Person or company, and its postal address: the imprint. */
  name: string | undefined
  address: string | undefined
  /** Where messages go, and what the imprint names. */
  email: string | undefined
}

/** @throws ConfigError where CONTACT_EMAIL is no address */
export function readOperator(env: Env): OperatorConfig {
  const email = text(env, 'CONTACT_EMAIL')
  if (email !== undefined && !/^[^<>@\s]+@[^<>@\s]+$/.test(email))
    throw new ConfigError(`CONTACT_EMAIL must be an address such as hello@drama.example, not "${email}".`)
  return {
    site: text(env, 'SITE_NAME') ?? 'Cliffhanger',
    name: text(env, 'OPERATOR_NAME'),
    address: text(env, 'OPERATOR_ADDRESS'),
    email,
  }
}
