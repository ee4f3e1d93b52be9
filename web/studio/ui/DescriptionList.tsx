import type { ReactNode } from 'react'
import styles from './description-list.module.css'

/** A list of names and values that describe one record. */
export function DescriptionList({ facts }: { facts: readonly { name: string; value: ReactNode }[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
