import { Route, Routes, useParams } from 'react-router'
import { NotFound } from '#web/studio/NotFound.tsx'
import { ExperimentPage } from './ExperimentPage.tsx'
import { ExperimentList, NewExperiment } from './ExperimentList.tsx'

/** Experiments and their results. */
export function Component() {
  return (
    <Routes>
      <Route index element={<ExperimentList />} />
      <Route path="new" element={<NewExperiment />} />
      <Route path=":id" element={<ExperimentRoute />} />
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}

function ExperimentRoute() {
  const { id = '' } = useParams()
  return <ExperimentPage key={id} id={id} />
}
