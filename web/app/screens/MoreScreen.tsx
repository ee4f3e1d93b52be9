import '#web/i18n/search.ts'
import { lazy, Suspense } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { Listing } from '#web/features/catalog/Listing.tsx'
import { withTexts } from '#web/i18n/with-texts.ts'
import { Component as NotFound } from './NotFoundScreen.tsx'

// Loaded on demand, because it includes the player.
const DramaFeed = lazy(() =>
  withTexts('watch', import('#web/app/feed/DramaFeed.tsx')).then(({ DramaFeed }) => ({ default: DramaFeed })),
)

/** The list of a section, or (with `?feed`) a feed of the same dramas. */
export function Component() {
  const { id = '' } = useParams()
  const isFeed = useSearchParams()[0].has('feed')
  if (isFeed)
    return (
      <Suspense>
        <DramaFeed key={id} section={id} missing={<NotFound />} />
      </Suspense>
    )
  return <Listing key={id} listing={{ section: id }} notFound={<NotFound />} />
}
