import { Route, Routes, useParams } from 'react-router'
import { NotFound } from '#web/studio/NotFound.tsx'
import { CustomerSearch } from './CustomerSearch.tsx'
import { CustomerPage } from './CustomerPage.tsx'

/** The customers area: search, details and actions for support. */
export function Component() {
  return (
    <Routes>
      <Route index element={<CustomerSearch />} />
      <Route path=":id" element={<CustomerRoute />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}

function CustomerRoute() {
  const { id = '' } = useParams()
  return <CustomerPage key={id} id={id} />
}
