import { useEffect } from 'react'
import { Link, useLocation } from 'react-router'
import type { Block, Run } from '#contract/pages.ts'
import styles from './text-page.module.css'

/**
 * Renders a text's blocks. Each heading has a link to itself. The heading in the URL's fragment is scrolled into view.
 */
export function Blocks({ blocks }: { blocks: readonly Block[] }) {
  const { hash } = useLocation()
  useEffect(() => {
    if (hash) document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView()
  }, [hash])
  return (
    <div className={styles.text}>
      {blocks.map((block, i) => (
        <TextBlock key={i} {...block} />
      ))}
    </div>
  )
}

function TextBlock({ kind, id, lines }: Block) {
  const [first = []] = lines
  if (kind === 'paragraph') return <p>{renderRuns(first)}</p>
  if (kind === 'list' || kind === 'steps') {
    const List = kind === 'list' ? 'ul' : 'ol'
    return (
      <List>
        {lines.map((line, i) => (
          <li key={i}>{renderRuns(line)}</li>
        ))}
      </List>
    )
  }
  const Heading = kind === 'heading' ? 'h2' : 'h3'
  return (
    <Heading id={id}>
      <Link to={{ hash: `#${id ?? ''}` }} replace>
        {first.map(({ text }) => text).join('')}
      </Link>
    </Heading>
  )
}

const renderRuns = (runs: readonly Run[]) => runs.map((run, i) => <TextRun key={i} {...run} />)

function TextRun({ text, strong, emphasis, href }: Run) {
  const strongText = strong ? <strong>{text}</strong> : text
  const content = emphasis ? <em>{strongText}</em> : strongText
  if (href === undefined) return content
  return /^[/#]/.test(href) ? <Link to={href}>{content}</Link> : <a href={href}>{content}</a>
}
