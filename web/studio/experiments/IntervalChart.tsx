import type { Estimate } from '#contract/studio/experiments.ts'
import { scaleFor } from '#web/studio/ui/chart.ts'
import drawing from '#web/studio/ui/chart.module.css'
import { useIsNarrow } from '#web/studio/ui/use-is-narrow.ts'
import styles from './experiment-list.module.css'

/** Sizes in the SVG's own units; the drawing scales with the page. */
const wide = 720
const narrow = 360
const rowHeight = 56
const edge = { left: 16, right: 32, bottom: 28 }

/**
 * A chart with a point and a confidence interval for each variant. Assistive technology sees one image, because the
 * table below has the same figures.
 */
export function IntervalChart({
  title,
  rows,
  formatValue,
}: {
  title: string
  rows: readonly { name: string; estimate: Estimate }[]
  /** Formats a value for the axis. */
  formatValue: (value: number) => string
}) {
  const width = useIsNarrow() ? narrow : wide
  const scale = scaleFor(rows.flatMap(({ estimate: { low, high, value } }) => [low, high, value]))
  const height = rows.length * rowHeight + edge.bottom
  const inner = width - edge.left - edge.right
  const x = (value: number) => edge.left + ((value - scale.low) / (scale.high - scale.low)) * inner
  const every = Math.ceil(scale.ticks.length / (width === narrow ? 4 : 8))
  return (
    <svg className={drawing.chart} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
      {scale.ticks.map(
        (tick, index) =>
          index % every === 0 && (
            <g key={tick}>
              <line
                className={tick === 0 ? drawing.zero : drawing.line}
                x1={x(tick)}
                x2={x(tick)}
                y1={8}
                y2={height - edge.bottom}
              />
              <text
                className={drawing.tick}
                x={x(tick)}
                y={height - 8}
                textAnchor={index === 0 ? 'start' : 'middle'}
              >
                {formatValue(tick)}
              </text>
            </g>
          ),
      )}
      {rows.map(({ name, estimate: { low, high, value } }, index) => {
        const y = index * rowHeight + 40
        return (
          <g key={name}>
            <text className={styles.name} x={edge.left + 8} y={y - 16}>
              {name}
            </text>
            <line className={styles.interval} x1={x(low)} x2={x(high)} y1={y} y2={y} />
            <circle className={styles.point} cx={x(value)} cy={y} r={6} />
          </g>
        )
      })}
    </svg>
  )
}
