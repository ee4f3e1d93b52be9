export { billingJobs } from './billing-jobs.ts'
export { membershipOf } from './membership.ts'
export { offerFor } from './offer.ts'
