import { Type, type Static } from 'typebox'
import { Id, nullable, stringEnum } from '#contract/schemas.ts'
import { command } from './command.ts'

/** The steps from an empty site to the first sale, and the steps before opening the site to the public. */
export const sellingSteps = ['video', 'published', 'plan', 'homepage', 'sale'] as const
export const launchSteps = ['gateway', 'mail', 'imprint'] as const

export const SetupStep = Type.Object({
  step: stringEnum([...sellingSteps, ...launchSteps]),
  done: Type.Boolean(),
  /** The video that the step is about; null if there is none. */
  video_id: nullable(Id),
})
export type SetupStep = Static<typeof SetupStep>

export const showSetupGuide = command({
  method: 'GET',
  path: '/api/studio/setup',
  command: 'setup show',
  roles: ['owner', 'editor'],
  summary: 'Shows the setup guide and which steps are done; editors see the steps about content',
  refuses: [],
  data: Type.Object({ list: Type.Array(SetupStep) }),
})
