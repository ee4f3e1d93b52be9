import { Route, Routes, useParams } from 'react-router'
import { NotFound } from '#web/studio/NotFound.tsx'
import { NewPlan, OnePlan } from './PlanPage.tsx'
import { Plans } from './Plans.tsx'

/** What subscribers buy, and who is on what. */
export function Component() {
  return (
    <Routes>
      <Route index element={<Plans />} />
      <Route path="new" element={<NewPlan />} />
      <Route path=":id" element={<One />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}

function One() {
  const { id = '' } = useParams()
  return <OnePlan key={id} id={id} />
}
