import { Route, Routes, useParams } from 'react-router'
import { NotFound } from '#web/studio/NotFound.tsx'
import { FindCustomers } from './FindCustomers.tsx'
import { CustomerPage } from './CustomerPage.tsx'

/** Customers: search, details and support actions. */
export function Component() {
  return (
    <Routes>
      <Route index element={<FindCustomers />} />
      <Route path=":id" element={<One />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}

function One() {
  const { id = '' } = useParams()
  return <CustomerPage key={id} id={id} />
}
