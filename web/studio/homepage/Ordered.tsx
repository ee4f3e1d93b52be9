import { useState, type Key, type ReactNode } from 'react'
import { useTexts } from '#web/studio/texts.ts'
import styles from './homepage.module.css'

/** Things in an order that is changed by dragging, or by buttons for whoever has no mouse. */
export function Ordered<Item>({
  items,
  keyOf,
  nameOf,
  onOrder,
  children,
}: {
  items: readonly Item[]
  keyOf: (item: Item) => Key
  nameOf: (item: Item) => string
  onOrder: (items: Item[]) => void
  children: (item: Item) => ReactNode
}) {
  const { t } = useTexts()
  const [dragged, setDragged] = useState<Item | null>(null)
  const [moved, setMoved] = useState('')
  const move = (item: Item, to: number) => {
    const others = items.filter((each) => each !== item)
    onOrder([...others.slice(0, to), item, ...others.slice(to)])
    setMoved(t('homepage.moved', { name: nameOf(item), place: to + 1 }))
  }
  return (
    <>
      <ol className={styles.ordered}>
        {items.map((item, index) => (
          <li
            key={keyOf(item)}
            className={item === dragged ? styles.dragged : undefined}
            onDragOver={(event) => dragged !== null && event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault()
              if (dragged !== null) move(dragged, index)
              setDragged(null)
            }}
          >
            <div className={styles.handle}>
              <span
                draggable
                aria-hidden
                onDragStart={() => setDragged(item)}
                onDragEnd={() => setDragged(null)}
                title={t('homepage.drag')}
              >
                ⠿
              </span>
              <button type="button" disabled={index === 0} onClick={() => move(item, index - 1)}>
                <span aria-hidden>↑</span>
                <span className="hidden-text">{t('homepage.up', { name: nameOf(item) })}</span>
              </button>
              <button
                type="button"
                disabled={index === items.length - 1}
                onClick={() => move(item, index + 1)}
              >
                <span aria-hidden>↓</span>
                <span className="hidden-text">{t('homepage.down', { name: nameOf(item) })}</span>
              </button>
            </div>
            {children(item)}
          </li>
        ))}
      </ol>
      <p className="hidden-text" role="status">
        {moved}
      </p>
    </>
  )
}
