import * as alerts from './alerts.ts'
import * as balance from './balance.ts'
import * as billing from './billing.ts'
import * as catalog from './catalog.ts'
import * as consumerRights from './consumer-rights.ts'
import { isEndpoint, type Endpoint } from './endpoint.ts'
import * as library from './library.ts'
import * as media from './media.ts'
import * as members from './members.ts'
import * as health from './health.ts'
import * as pages from './pages.ts'
import * as social from './social.ts'
import * as homepage from './studio/homepage.ts'
import * as funnel from './studio/funnel.ts'
import * as siteIcon from './studio/site-icon.ts'
import * as experiments from './studio/experiments.ts'
import * as labels from './studio/labels.ts'
import * as analytics from './studio/analytics.ts'
import * as campaignLinks from './studio/campaign-links.ts'
import * as operators from './studio/operators.ts'
import * as orders from './studio/orders.ts'
import * as customers from './studio/customers.ts'
import * as plans from './studio/plans.ts'
import * as system from './studio/system.ts'
import * as settings from './studio/settings.ts'
import * as setupGuide from './studio/setup-guide.ts'
import * as texts from './studio/page-texts.ts'
import * as topUps from './studio/top-ups.ts'
import * as descriptions from './studio/video-descriptions.ts'
import * as uploads from './studio/uploads.ts'
import * as videos from './studio/videos.ts'
import * as tracking from './tracking.ts'

const modules = [
  members,
  social,
  catalog,
  library,
  alerts,
  media,
  billing,
  consumerRights,
  balance,
  tracking,
  pages,
  health,
]
/** Modules of the operators' endpoints, which no viewer page calls. */
const studioModules = [
  operators,
  homepage,
  siteIcon,
  orders,
  customers,
  plans,
  topUps,
  system,
  settings,
  texts,
  videos,
  labels,
  descriptions,
  uploads,
  analytics,
  funnel,
  experiments,
  campaignLinks,
  setupGuide,
]

const endpointsOf = (modules: readonly object[]): readonly Endpoint[] =>
  modules.flatMap((module) => Object.values<unknown>({ ...module }).filter(isEndpoint))

/** All endpoints for viewers. The generated documents and some tests iterate over them. */
export const viewerEndpoints = endpointsOf(modules)

/** All endpoints for operators. */
export const studioEndpoints = endpointsOf(studioModules)
