import { useParams } from 'react-router'
import { NotFound } from '#web/app/NotFound.tsx'
import { Listing } from '#web/features/catalog/Listing.tsx'

export function Component() {
  const { id = '' } = useParams()
  return <Listing key={id} listing={{ section: id }} missing={<NotFound />} />
}
