import type { Role } from '#contract/studio/roles.ts'
import { dramas, type Drama } from '#e2e/support/make-content.ts'
import { unlimitedQuotas } from '#server/testing/site/unlimited.ts'

/** Templates of test sites. Each is imported once per run, and cloned for every test file. */
export const templates = {
  /** A drama of six episodes, the first three free, and a second drama of one wide episode without sound. */
  tower: { dramas, settings: {} },
  /** One drama of two episodes; the second is locked. */
  door: {
    dramas: [{ slug: 'the-door', title: 'The Door', episodes: 2, free: 1, size: '360x640', sound: true }],
    settings: {},
  },
  /** The drama of `door`, with encrypted segments. */
  encryptedDoor: {
    dramas: [{ slug: 'the-door', title: 'The Door', episodes: 2, free: 1, size: '360x640', sound: true }],
    settings: { MEDIA_ENCRYPTION: 'aes-128' },
  },
} satisfies Record<string, { dramas: readonly Drama[]; settings: Record<string, string> }>

export type Template = keyof typeof templates

/**
 * Settings of every site in the browser tests. All have the same secret, so that a clone can decrypt the secrets of its
 * template.
 */
export const commonSettings = {
  APP_SECRET: 'the secret of every site that the browser tests open',
  DEMO: '0',
  LOG_LEVEL: 'warn',
  ...unlimitedQuotas,
}

/** An operator in every template, with the cookie of an active session. */
export interface PreparedOperator {
  email: string
  secret: string
  cookie: string
}

/** Results of prepare.ts for the processes that open sites. */
export interface PreparedSites {
  /** The PostgreSQL server; each site adds its database name. */
  server: { host: string; user: string }
  /** Folder with a data directory for each template, and the source videos in `dramas`. */
  home: string
  operators: Record<Template, Record<Role, PreparedOperator>>
}

export function databaseUrl({ host, user }: PreparedSites['server'], name: string): string {
  return `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`
}

export const templateDatabase = (template: Template) => `template_${template.toLowerCase()}`
