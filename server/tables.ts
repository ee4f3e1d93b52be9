import type { Kysely, Transaction } from 'kysely'
import type { AlertTables } from '#server/features/alerts/tables.ts'
import type { BillingTables } from '#server/features/billing/tables.ts'
import type { CatalogTables } from '#server/features/catalog/tables.ts'
import type { ExperimentTables } from '#server/features/experiments/tables.ts'
import type { LibraryTables } from '#server/features/library/tables.ts'
import type { MediaTables } from '#server/features/media/tables.ts'
import type { CredentialTables } from './features/members/credentials/credential-tables.ts'
import type { MembersTables } from '#server/features/members/tables.ts'
import type { SocialTables } from './features/members/credentials/identity-tables.ts'
import type { PagesTables } from '#server/features/pages/tables.ts'
import type { StudioTables } from '#server/features/studio/tables.ts'
import type { TrackingTables } from '#server/features/tracking/tables.ts'
import type { JobTables } from './platform/jobs/job-tables.ts'
import type { MailTables } from '#server/platform/mail/tables.ts'

/** Every table of the site, each declared by its feature. Types only. */
export type Tables = CatalogTables &
  MembersTables &
  CredentialTables &
  SocialTables &
  LibraryTables &
  ExperimentTables &
  MediaTables &
  BillingTables &
  TrackingTables &
  AlertTables &
  PagesTables &
  StudioTables &
  JobTables &
  MailTables

export type Db = Kysely<Tables>
/** Required by functions that must run inside a transaction. Calls with `Db` do not compile. */
export type Tx = Transaction<Tables>
