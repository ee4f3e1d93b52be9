import { useId } from 'react'
import { scaleFor } from '#web/studio/ui/chart.ts'
import drawing from '#web/studio/ui/chart.module.css'
import { useIsNarrow } from '#web/studio/ui/use-is-narrow.ts'
import styles from './analytics.module.css'

export interface Bar {
  /** The bar's label, such as a day. */
  label: string
  value: number
  /** The part of the value that is drawn as a separate part of the bar. */
  part?: number
}

/**
 * Sizes in the SVG's own units; the drawing scales with the page. `labels` is the number of labels that fit side by
 * side.
 */
const wide = { width: 720, height: 220, labels: 6 }
const narrow = { width: 360, height: 220, labels: 3 }
const edge = { left: 80, right: 8, top: 12, bottom: 28 }
/** Keeps the bars of a video with few episodes from looking like areas. */
const maxBarWidth = 48

interface ChartData {
  bars: readonly Bar[]
  /** Formats a value for the axis and the tooltips. */
  formatValue: (value: number) => string
}

/** A bar chart with a title. Assistive technology sees one image, because the table below has the same figures. */
export function BarChart({ title, ...drawn }: ChartData & { title: string }) {
  const id = useId()
  return (
    <figure className={drawing.figure}>
      <figcaption id={id}>{title}</figcaption>
      <Drawing titleId={id} {...drawn} />
    </figure>
  )
}

function Drawing({ titleId, bars, formatValue }: ChartData & { titleId: string }) {
  const { width, height, labels } = useIsNarrow() ? narrow : wide
  const scale = scaleFor(bars.map(({ value }) => value))
  const inner = { width: width - edge.left - edge.right, height: height - edge.top - edge.bottom }
  const y = (value: number) => edge.top + ((scale.high - value) / (scale.high - scale.low)) * inner.height
  const slot = inner.width / Math.max(bars.length, 1)
  const barWidth = Math.min(slot * 0.7, maxBarWidth)
  const barStart = (index: number) => edge.left + (index + 0.5) * slot - barWidth / 2
  const every = Math.ceil(bars.length / labels)
  return (
    <svg className={drawing.chart} viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby={titleId}>
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line
            className={tick === 0 ? drawing.zero : drawing.line}
            x1={edge.left}
            x2={width - edge.right}
            y1={y(tick)}
            y2={y(tick)}
          />
          <text
            className={drawing.tick}
            x={edge.left - 8}
            y={y(tick)}
            textAnchor="end"
            dominantBaseline="middle"
          >
            {formatValue(tick)}
          </text>
        </g>
      ))}
      {bars.map(({ label, value, part }, index) => (
        <g key={label}>
          <rect
            className={value < 0 ? styles.below : part === undefined ? styles.bar : styles.whole}
            x={barStart(index)}
            width={barWidth}
            y={Math.min(y(value), y(0))}
            height={Math.abs(y(value) - y(0))}
          >
            <title>{`${label}: ${formatValue(value)}`}</title>
          </rect>
          {part !== undefined && (
            <rect
              className={styles.bar}
              x={barStart(index)}
              width={barWidth}
              y={y(part)}
              height={y(0) - y(part)}
            >
              <title>{`${label}: ${formatValue(part)} / ${formatValue(value)}`}</title>
            </rect>
          )}
          {index % every === 0 && (
            <text
              className={drawing.tick}
              x={edge.left + (index + 0.5) * slot}
              y={height - 8}
              textAnchor="middle"
            >
              {label}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}
