import '#web/i18n/search.ts'
import { useParams } from 'react-router'
import { Listing } from '#web/features/catalog/Listing.tsx'
import { Component as NotFound } from './NotFoundScreen.tsx'

export function Component() {
  const { id = '' } = useParams()
  return <Listing key={id} listing={{ menu: id }} notFound={<NotFound />} />
}
