import { Route, Routes, useParams } from 'react-router'
import { NotFound } from '#web/studio/NotFound.tsx'
import { NewPlan, OnePlan } from './PlanPage.tsx'
import { Plans } from './Plans.tsx'
import { NewTopUp, OneTopUp } from './top-ups/TopUpPage.tsx'
import { TopUps } from './top-ups/TopUps.tsx'

/** Plans with their subscribers, and top-ups. */
export function Component() {
  return (
    <Routes>
      <Route index element={<Plans />} />
      <Route path="new" element={<NewPlan />} />
      <Route path="top-ups" element={<TopUps />} />
      <Route path="top-ups/new" element={<NewTopUp />} />
      <Route path="top-ups/:id" element={<AnyTopUp />} />
      <Route path=":id" element={<One />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}

function One() {
  const { id = '' } = useParams()
  return <OnePlan key={id} id={id} />
}

function AnyTopUp() {
  const { id = '' } = useParams()
  return <OneTopUp key={id} id={id} />
}
