import { useNavigate } from 'react-router'
import { paths } from '#web/lib/paths.ts'
import { addSearch } from './search-history.ts'

/** Returns a function that adds a search term to the recent searches and opens its results. */
export function useSearch(): (searchTerm: string) => void {
  const navigate = useNavigate()
  return (searchTerm) => {
    addSearch(searchTerm)
    void navigate(paths.searchDetail.to(searchTerm))
  }
}
