import type { BodyOf } from '#contract/endpoint.ts'
import { getUser } from '#contract/members.ts'
import { createExperiment, startExperiment, type Experiment } from '#contract/studio/experiments.ts'
import { variantOf } from '#server/features/experiments/assign-variant.ts'
import type { TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

/** Creates an experiment and starts it. Returns when every process knows it. */
export async function createRunningExperiment(
  studio: Visitor,
  body: Omit<BodyOf<typeof createExperiment>, 'name'>,
): Promise<Experiment> {
  const { id } = await studio.callOk(createExperiment, { body: { name: 'A trial', ...body } })
  return studio.callOk(startExperiment, { body: { id } })
}

/** Returns a guest who is assigned to this variant of the experiment. */
export async function createGuestInVariant(
  site: TestSite,
  experiment: Experiment,
  variant: number,
): Promise<Visitor> {
  for (;;) {
    const visitor = site.visitor()
    const { id } = await visitor.callOk(getUser)
    if (variantOf(experiment, id) === variant) return visitor
  }
}
