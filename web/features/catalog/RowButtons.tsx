import { useEffect, useState, type RefObject } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Icon } from '#web/ui/Icon.tsx'
import styles from './row-buttons.module.css'

const atStart = 1
const atEnd = 2

/** Scrolls a row by the number of cards that are visible at once. At an end of the row its button is disabled but keeps the focus. */
export function RowButtons({ row, title }: { row: RefObject<HTMLElement | null>; title: string }) {
  const { t } = useTranslation()
  const [ends, setEnds] = useState(atStart | atEnd)
  const look = () => setEnds(endsOf(row.current))
  // The number of cards in the row may have changed.
  useEffect(look)
  useEffect(() => {
    const element = row.current
    if (!element) return undefined
    const again = () => setEnds(endsOf(element))
    const observer = new ResizeObserver(again)
    observer.observe(element)
    element.addEventListener('scroll', again, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', again)
    }
  }, [row])
  const button = (name: 'back' | 'forward', label: string, end: number) => (
    <button
      type="button"
      className={`${styles.button} ${styles[name]}`}
      aria-label={`${label}: ${title}`}
      aria-disabled={(ends & end) > 0}
      tabIndex={ends & end ? -1 : 0}
      onClick={() => row.current?.scrollBy({ left: stepOf(row.current) * (end === atEnd ? 1 : -1) })}
    >
      <Icon name={name} />
    </button>
  )
  if (ends === (atStart | atEnd)) return null
  return (
    <>
      {button('back', t('home.previous'), atStart)}
      {button('forward', t('home.next'), atEnd)}
    </>
  )
}

function endsOf(row: HTMLElement | null): number {
  if (!row) return atStart | atEnd
  const { scrollLeft, clientWidth, scrollWidth } = row
  return (scrollLeft < 1 ? atStart : 0) | (scrollLeft + clientWidth > scrollWidth - 1 ? atEnd : 0)
}

/** Returns the width of the whole cards that fit into the visible row, at least one. */
function stepOf(row: HTMLElement): number {
  const [first, second] = row.children
  if (!first || !second) return row.clientWidth
  const one = second.getBoundingClientRect().left - first.getBoundingClientRect().left
  const seen = row.clientWidth - 2 * parseFloat(getComputedStyle(row).paddingLeft)
  return Math.max(1, Math.round(seen / one)) * one
}
