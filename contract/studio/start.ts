import { Type, type Static } from 'typebox'
import { Id, nullable, oneOf } from '#contract/shapes.ts'
import { command } from './command.ts'

/** The steps from an empty site to the first sale, and the steps before opening the site to the public. */
export const sellingSteps = ['video', 'published', 'plan', 'homepage', 'sale'] as const
export const openingSteps = ['gateway', 'mail', 'imprint'] as const

export const FirstStep = Type.Object({
  step: oneOf([...sellingSteps, ...openingSteps]),
  done: Type.Boolean(),
  /** The video of the step, if it has one. */
  video_id: nullable(Id),
})
export type FirstStep = Static<typeof FirstStep>

export const showStart = command({
  method: 'GET',
  path: '/api/studio/start',
  command: 'start',
  roles: ['owner', 'editor'],
  summary: 'Shows the setup guide and which steps are done; editors see the steps about content',
  refuses: [],
  data: Type.Object({ list: Type.Array(FirstStep) }),
})
