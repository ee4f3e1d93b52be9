import { useEffect, useRef } from 'react'
import { NavLink, useLocation } from 'react-router'
import styles from './tabs.module.css'

/** The tabs of an area, each with a URL of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly { to: string; title: string }[] }) {
  const nav = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  useEffect(() => {
    if (nav.current) scrollToCurrent(nav.current)
  }, [pathname])
  return (
    <nav ref={nav} aria-label={label} className={styles.tabs}>
      {tabs.map(({ to, title }) => (
        <NavLink key={to} to={to} end>
          {title}
        </NavLink>
      ))}
    </nav>
  )
}

/** The width of the faded edge in px (tabs.module.css). */
const fadeWidth = 48

/** Scrolls the current tab out of the faded edge. Only scrolls the tabs, not the page. */
function scrollToCurrent(nav: HTMLElement): void {
  const current = nav.querySelector('[aria-current]')
  if (!current) return
  const hidden = current.getBoundingClientRect().right + fadeWidth - nav.getBoundingClientRect().right
  if (hidden > 0) nav.scrollLeft += hidden
}
