import type { BodyOf } from '#contract/endpoint.ts'
import { getUser } from '#contract/members.ts'
import { createExperiment, startExperiment, type Experiment } from '#contract/studio/experiments.ts'
import { variantOf } from '#server/features/experiments/assign-variant.ts'
import type { TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

/** Drafts an experiment and starts it; it is known everywhere from then on. */
export async function startOne(
  desk: Visitor,
  body: Omit<BodyOf<typeof createExperiment>, 'name'>,
): Promise<Experiment> {
  const { id } = await desk.ask(createExperiment, { body: { name: 'A trial', ...body } })
  return desk.ask(startExperiment, { body: { id } })
}

/** A guest whom an experiment gives this variant. */
export async function guestIn(site: TestSite, experiment: Experiment, variant: number): Promise<Visitor> {
  for (;;) {
    const visitor = site.visitor()
    const { id } = await visitor.ask(getUser)
    if (variantOf(experiment, id) === variant) return visitor
  }
}
