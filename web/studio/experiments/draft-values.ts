import type { BodyOf } from '#contract/endpoint.ts'
import {
  experimentKinds,
  type Variant,
  type createExperiment,
  type Experiment,
} from '#contract/studio/experiments.ts'
import { payLayouts } from '#contract/studio/homepage.ts'
import { parseCents, formatCents } from '#web/studio/format.ts'
import type { Translate } from '#web/studio/texts.ts'
import { parseEpisodeAddress } from '#web/studio/analytics/parse-episode-address.ts'

/** The variants in addition to the control. */
export const otherVariants = ['one', 'two', 'three'] as const

type FieldName =
  | 'name'
  | 'kind'
  | 'target'
  | 'video'
  | 'share'
  | 'layout'
  | 'accent'
  | (typeof otherVariants)[number]

/** An experiment's form values. */
export type DraftValues = Record<FieldName, string>

/** Returns the letter of a variant by its index; the control is A. */
export const variantLetter = (index: number) => 'ABCD'.charAt(index)

/** Returns whether the variants of this kind of experiment have different prices. */
export const isPriced = (kind: string) => kind.endsWith('_price')

/** Returns the form values of a draft, or those of a new experiment. */
export function valuesOf(experiment: Experiment | undefined): DraftValues {
  const [, ...others] = experiment?.variants ?? []
  const typed = ({ free_episodes, price_cents }: Partial<Variant> = {}) =>
    price_cents === undefined ? String(free_episodes ?? '') : formatCents(price_cents)
  return {
    name: experiment?.name ?? '',
    kind: experiment?.kind ?? 'free_episodes',
    target: experiment?.target ?? '',
    video: '',
    share: String(others[0]?.share ?? 50),
    one: typed(others[0]),
    two: typed(others[1]),
    three: typed(others[2]),
    layout: others[0]?.layout ?? '',
    accent: others[0]?.accent ?? '',
  }
}

/** Returns the id of the target video: from a typed id or URL of this site, else from the chosen video. */
const videoOf = ({ target, video }: Pick<DraftValues, 'target' | 'video'>): string | undefined =>
  parseEpisodeAddress(target)?.video_id ?? (video || undefined)

const isCount = (text: string) => /^\d{1,4}$/.test(text.trim())

/** Returns the error messages by field. */
export function problemsOf(values: DraftValues, t: Translate): Partial<DraftValues> {
  const { name, kind, share, layout, accent } = values
  const filledVariants =
    kind === 'pay_theme' ? ['one'] : otherVariants.filter((variant) => values[variant].trim() !== '')
  const max = Math.floor(99 / Math.max(filledVariants.length, 1))
  return {
    ...(name.trim() ? {} : { name: t('experiments.nameInvalid') }),
    ...(isTargetValid(values) ? {} : { target: t('experiments.videoInvalid') }),
    ...(isCount(share) && Number(share) >= 1 && Number(share) <= max
      ? {}
      : { share: t('experiments.shareInvalid', { max }) }),
    ...(kind === 'pay_theme' ? themeProblems(layout, accent, t) : valueProblems(values, t)),
  }
}

/** Returns whether the target is valid: only an experiment on prices needs a video. */
function isTargetValid(values: DraftValues): boolean {
  const { kind, target } = values
  if (kind === 'pay_theme' || (target.trim() === '' && !isPriced(kind))) return true
  return videoOf(values) !== undefined
}

function themeProblems(layout: string, accent: string, t: Translate): Partial<DraftValues> {
  const typed = accent.trim()
  const hasTheme = layout !== '' || typed !== ''
  return hasTheme && (typed === '' || /^#[0-9a-f]{6}$/i.test(typed))
    ? {}
    : { accent: t('experiments.accentInvalid') }
}

function valueProblems(values: DraftValues, t: Translate): Partial<DraftValues> {
  const isValue = (typed: string) => (isPriced(values.kind) ? (parseCents(typed) ?? 0) > 0 : isCount(typed))
  const bad = otherVariants.filter(
    (variant, index) => !isValue(values[variant]) && (index === 0 || values[variant].trim()),
  )
  const message = t(isPriced(values.kind) ? 'experiments.priceInvalid' : 'experiments.freeInvalid')
  return Object.fromEntries(bad.map((variant) => [variant, message]))
}

/** Returns the request body. The variants in addition to the control get equal shares; the control gets the rest. */
export function bodyOf(values: DraftValues): BodyOf<typeof createExperiment> {
  const kind = experimentKinds.find((each) => each === values.kind) ?? 'free_episodes'
  const share = Number(values.share)
  const layout = payLayouts.find((each) => each === values.layout)
  const accent = values.accent.trim()
  const others: Omit<Variant, 'share'>[] =
    kind === 'pay_theme'
      ? [{ ...(layout ? { layout } : {}), ...(accent ? { accent } : {}) }]
      : otherVariants
          .filter((variant) => values[variant].trim() !== '')
          .map((variant) =>
            isPriced(kind)
              ? { price_cents: parseCents(values[variant]) ?? 0 }
              : { free_episodes: Number(values[variant]) },
          )
  return {
    kind,
    name: values.name.trim().slice(0, 100),
    target: kind === 'pay_theme' ? null : (videoOf(values) ?? null),
    variants: [{ share: 100 - share * others.length }, ...others.map((variant) => ({ share, ...variant }))],
  }
}
