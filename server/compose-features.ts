import { mergeLifecycleHooks, type LifecycleHooks } from './features/members/lifecycle-hooks.ts'

/** The parts that a feature adds to the site. */
interface Feature<Parts extends object> {
  /** Merged into the context. */
  parts: Parts
  lifecycleHooks?: Partial<LifecycleHooks>
  /** Writes buffered data and stops background work. */
  stop?(): Promise<void>
}

interface ComposedFeatures<Parts extends object> {
  parts: Parts
  features: readonly Feature<object>[]
}

/** The features of a site, in dependency order: each receives the parts of the features before it. */
export interface Composition<Parts extends object> {
  with<More extends object>(
    create: (parts: Parts) => Feature<More> | Promise<Feature<More>>,
  ): Composition<Parts & More>
  build(): Promise<{ parts: Parts; lifecycleHooks: LifecycleHooks; stop(): Promise<void> }>
}

/** Starts a composition with the parts that every feature may use. */
export function composeFeatures<Parts extends object>(base: Parts): Composition<Parts> {
  return composition(async () => ({ parts: base, features: [] }))
}

function composition<Parts extends object>(
  composeAll: () => Promise<ComposedFeatures<Parts>>,
): Composition<Parts> {
  return {
    with: (create) =>
      composition(async () => {
        const { parts, features } = await composeAll()
        const feature = await create(parts)
        return { parts: { ...parts, ...feature.parts }, features: [...features, feature] }
      }),
    async build() {
      const { parts, features } = await composeAll()
      // A feature's records refer to records of the features before it, so the hooks of the last feature run first.
      const lifecycleHooks = mergeLifecycleHooks(
        features.toReversed().map((feature) => feature.lifecycleHooks ?? {}),
      )
      const stop = async () => void (await Promise.all(features.map((feature) => feature.stop?.())))
      return { parts, lifecycleHooks, stop }
    },
  }
}
