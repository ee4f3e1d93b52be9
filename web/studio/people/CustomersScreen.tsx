import { Route, Routes, useParams } from 'react-router'
import { NotFound } from '#web/studio/NotFound.tsx'
import { CustomerSearch } from './CustomerSearch.tsx'
import { CustomerPage } from './CustomerPage.tsx'

/** Customers: search, details and support actions. */
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
