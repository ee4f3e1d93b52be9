import type {
  Variant,
  VariantResult,
  Difference,
  Estimate,
  ExperimentResult,
} from '#contract/studio/experiments.ts'
import { bcp47Tags } from '#contract/languages.ts'
import { money } from '#web/lib/format-money.ts'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { Panel } from '#web/studio/ui/Page.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { IntervalChart } from './IntervalChart.tsx'
import { formatCount, formatTime } from '#web/studio/format.ts'
import { variantLetter } from './draft-values.ts'
import styles from './experiment-list.module.css'

type Row = VariantResult & { name: string; share: number }

/** The results of an experiment with their uncertainty. Says if it is too early to decide. */
export function ExperimentResults({ result }: { result: ExperimentResult }) {
  const { t, language } = useTexts()
  const { experiment, variants, min_viewers, has_too_few_viewers, has_sample_ratio_mismatch, counted_at } =
    result
  const rows = variants.map((variant, index): Row => {
    const variantSettings = experiment.variants[index] ?? { share: 0 }
    return {
      ...variant,
      share: variantSettings.share,
      name: `${variantLetter(index)} · ${variantText(variantSettings, index, experiment.currency ?? '', t)}`,
    }
  })
  const percent = (value: number) =>
    new Intl.NumberFormat(bcp47Tags[language], { style: 'percent', maximumFractionDigits: 2 }).format(value)
  const [firstVariant] = variants
  if (counted_at === null)
    return (
      <p className={styles.hint} role="status">
        {t('experiments.notCounted')}
      </p>
    )
  return (
    <>
      {has_sample_ratio_mismatch && (
        <p className={styles.warning} role="alert">
          {t('experiments.sampleRatioMismatch')}
        </p>
      )}
      {has_too_few_viewers && (
        <p className={styles.warning}>
          {t('experiments.tooFewViewers', { minimum: formatCount(min_viewers) })}
        </p>
      )}
      <Conversion rows={rows} percent={percent} early={has_too_few_viewers} />
      {firstVariant?.revenue.map(({ currency }) => (
        <Revenue key={currency} rows={rows} currency={currency} early={has_too_few_viewers} />
      ))}
      <p className={styles.hint}>
        {t('experiments.methodology')}{' '}
        {t('experiments.updatedAt', { time: formatTime(counted_at, language) })}
      </p>
    </>
  )
}

/** Describes the settings of a variant. */
function variantText(
  { free_episodes, price_cents, layout, accent }: Variant,
  index: number,
  currency: string,
  t: Translate,
): string {
  if (index === 0) return t('experiments.control')
  if (free_episodes !== undefined) return t('experiments.freeCount', { count: free_episodes })
  if (price_cents !== undefined) return money(price_cents, currency)
  const layoutText = layout && t(layout === 'card' ? 'experiments.card' : 'experiments.sheet')
  return [layoutText, accent].filter(Boolean).join(', ')
}

const intervalText = (estimate: Estimate, formatValue: (value: number) => string) =>
  `${formatValue(estimate.low)} – ${formatValue(estimate.high)}`

/** Describes in plain words whether a difference is statistically significant. */
function describeResult(difference: Difference | null, early: boolean, t: Translate): string {
  if (difference === null) return t('experiments.baseline')
  if (early) return t('experiments.notEnoughData')
  if (!difference.significant) return t('experiments.notSignificant')
  return t(difference.value > 0 ? 'experiments.significantlyHigher' : 'experiments.significantlyLower')
}

function Conversion({
  rows,
  percent,
  early,
}: {
  rows: readonly Row[]
  percent: (value: number) => string
  early: boolean
}) {
  const { t } = useTexts()
  const columns = [
    { title: t('experiments.variant'), cell: ({ name }: Row) => name },
    { title: t('experiments.share'), figures: true, cell: ({ share }: Row) => percent(share / 100) },
    { title: t('experiments.exposed'), figures: true, cell: ({ exposed }: Row) => exposed },
    { title: t('experiments.buyers'), figures: true, cell: ({ buyers }: Row) => buyers },
    {
      title: t('experiments.conversion'),
      figures: true,
      cell: ({ conversion }: Row) => percent(conversion.value),
    },
    {
      title: t('experiments.interval'),
      figures: true,
      cell: ({ conversion }: Row) => intervalText(conversion, percent),
    },
    {
      title: t('experiments.difference'),
      figures: true,
      cell: ({ conversion_difference: found }: Row) =>
        found ? `${percent(found.value)} (${intervalText(found, percent)})` : '–',
    },
    {
      title: t('experiments.result'),
      cell: ({ conversion_difference }: Row) => describeResult(conversion_difference, early, t),
    },
  ]
  return (
    <Panel title={t('experiments.conversion')}>
      <IntervalChart
        title={t('experiments.conversionChart')}
        rows={rows.map(({ name, conversion }) => ({ name, estimate: toPercent(conversion) }))}
        formatValue={(value) => percent(value / 100)}
      />
      <Table
        caption={t('experiments.conversion')}
        columns={columns}
        rows={rows}
        keyOf={({ name }) => name}
        empty={t('experiments.none')}
      />
    </Panel>
  )
}

const toPercent = ({ value, low, high }: Estimate): Estimate => ({
  value: value * 100,
  low: low * 100,
  high: high * 100,
})

function Revenue({ rows, currency, early }: { rows: readonly Row[]; currency: string; early: boolean }) {
  const { t } = useTexts()
  const formatValue = (cents: number) => money(Math.round(cents), currency)
  const found = rows.flatMap(({ name, revenue }) =>
    revenue.filter((each) => each.currency === currency).map((each) => ({ name, ...each })),
  )
  type Sums = (typeof found)[number]
  const columns = [
    { title: t('experiments.variant'), cell: ({ name }: Sums) => name },
    { title: t('experiments.net'), figures: true, cell: ({ net_cents }: Sums) => formatValue(net_cents) },
    {
      title: t('experiments.perViewer'),
      figures: true,
      cell: ({ per_viewer }: Sums) => formatValue(per_viewer.value),
    },
    {
      title: t('experiments.interval'),
      figures: true,
      cell: ({ per_viewer }: Sums) => intervalText(per_viewer, formatValue),
    },
    {
      title: t('experiments.difference'),
      figures: true,
      cell: ({ difference }: Sums) =>
        difference ? `${formatValue(difference.value)} (${intervalText(difference, formatValue)})` : '–',
    },
    { title: t('experiments.result'), cell: ({ difference }: Sums) => describeResult(difference, early, t) },
  ]
  return (
    <Panel title={t('experiments.revenue', { currency })}>
      <IntervalChart
        title={t('experiments.revenueChart', { currency })}
        rows={found.map(({ name, per_viewer }) => ({ name, estimate: per_viewer }))}
        formatValue={formatValue}
      />
      <Table
        caption={t('experiments.revenue', { currency })}
        columns={columns}
        rows={found}
        keyOf={({ name }) => name}
        empty={t('experiments.none')}
      />
    </Panel>
  )
}
