import { NavLink } from 'react-router'
import styles from './tabs.module.css'

/** The tabs of an area, each with a URL of its own. */
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
