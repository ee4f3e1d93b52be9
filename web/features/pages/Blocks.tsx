import { useEffect } from 'react'
import { Link, useLocation } from 'react-router'
import type { Block, Run } from '#contract/pages.ts'
import styles from './text-page.module.css'

/** A text's blocks. Headings link to themselves; the one in the URL's fragment is scrolled into view. */
export function Blocks({ blocks }: { blocks: readonly Block[] }) {
  const { hash } = useLocation()
  useEffect(() => {
    if (hash) document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView()
  }, [hash])
  return (
    <div className={styles.text}>
      {blocks.map((block, i) => (
        <BlockOfText key={i} {...block} />
      ))}
    </div>
  )
}

function BlockOfText({ kind, id, lines }: Block) {
  const [first = []] = lines
  if (kind === 'paragraph') return <p>{runsOf(first)}</p>
  if (kind === 'list' || kind === 'steps') {
    const List = kind === 'list' ? 'ul' : 'ol'
    return (
      <List>
        {lines.map((line, i) => (
          <li key={i}>{runsOf(line)}</li>
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

const runsOf = (runs: readonly Run[]) => runs.map((run, i) => <RunOfText key={i} {...run} />)

function RunOfText({ text, strong, emphasis, href }: Run) {
  const worded = strong ? <strong>{text}</strong> : text
  const said = emphasis ? <em>{worded}</em> : worded
  if (href === undefined) return said
  return /^[/#]/.test(href) ? <Link to={href}>{said}</Link> : <a href={href}>{said}</a>
}
