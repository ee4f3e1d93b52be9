import { NavLink } from 'react-router'
import styles from './tabs.module.css'

/** The parts of an area, each with its own URL. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly { to: string; title: string }[] }) {
  return (
    <nav aria-label={label} className={styles.tabs}>
      {tabs.map(({ to, title }) => (
        <NavLink key={to} to={to} end>
          {title}
        </NavLink>
      ))}
    </nav>
  )
}
