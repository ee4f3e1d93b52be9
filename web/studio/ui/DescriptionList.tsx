import type { ReactNode } from 'react'
import styles from './description-list.module.css'

interface Fact {
  name: string
  value: ReactNode
  /** True for a value of several sentences, which needs the whole width. */
  wide?: boolean
}

/** A list of names and values that describe one record. */
export function DescriptionList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, value, wide }) => (
        <div key={name} className={wide ? styles.wide : undefined}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
