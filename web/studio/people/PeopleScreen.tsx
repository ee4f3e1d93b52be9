import { Route, Routes, useParams } from 'react-router'
import { NotFound } from '#web/studio/NotFound.tsx'
import { FindPeople } from './FindPeople.tsx'
import { PersonPage } from './PersonPage.tsx'

/** Those who watch: found, looked at, helped. */
export function Component() {
  return (
    <Routes>
      <Route index element={<FindPeople />} />
      <Route path=":id" element={<One />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}

function One() {
  const { id = '' } = useParams()
  return <PersonPage key={id} id={id} />
}
