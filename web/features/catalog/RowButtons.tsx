import { useEffect, useState, type RefObject } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Icon } from '#web/ui/Icon.tsx'
import styles from './row-buttons.module.css'

const atStart = 1
const atEnd = 2

/**
 * Buttons that scroll a row by the number of cards that are visible at once. At an end of the row, the button is
 * disabled but keeps the focus.
 */
export function RowButtons({ row, title }: { row: RefObject<HTMLElement | null>; title: string }) {
  const { t } = useTranslation()
  const [reachedEnds, setReachedEnds] = useState(atStart | atEnd)
  const update = () => setReachedEnds(findReachedEnds(row.current))
  // Runs after each render, because the number of cards may have changed.
  useEffect(update)
  useEffect(() => {
    const element = row.current
    if (!element) return undefined
    const onRowChange = () => setReachedEnds(findReachedEnds(element))
    const observer = new ResizeObserver(onRowChange)
    observer.observe(element)
    element.addEventListener('scroll', onRowChange, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', onRowChange)
    }
  }, [row])
  const button = (name: 'back' | 'forward', label: string, end: number) => (
    <button
      type="button"
      className={`${styles.button} ${styles[name]}`}
      aria-label={`${label}: ${title}`}
      aria-disabled={(reachedEnds & end) > 0}
      tabIndex={reachedEnds & end ? -1 : 0}
      onClick={() => row.current?.scrollBy({ left: scrollStepOf(row.current) * (end === atEnd ? 1 : -1) })}
    >
      <Icon name={name} />
    </button>
  )
  if (reachedEnds === (atStart | atEnd)) return null
  return (
    <>
      {button('back', t('home.previous'), atStart)}
      {button('forward', t('home.next'), atEnd)}
    </>
  )
}

function findReachedEnds(row: HTMLElement | null): number {
  if (!row) return atStart | atEnd
  const { scrollLeft, clientWidth, scrollWidth } = row
  return (scrollLeft < 1 ? atStart : 0) | (scrollLeft + clientWidth > scrollWidth - 1 ? atEnd : 0)
}

/** Returns the width of the whole cards that are visible at once, at least of one card. */
function scrollStepOf(row: HTMLElement): number {
  const [first, second] = row.children
  if (!first || !second) return row.clientWidth
  const cardWidth = second.getBoundingClientRect().left - first.getBoundingClientRect().left
  const visibleWidth = row.clientWidth - 2 * parseFloat(getComputedStyle(row).paddingLeft)
  return Math.max(1, Math.round(visibleWidth / cardWidth)) * cardWidth
}
