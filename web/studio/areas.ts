import type { ComponentType } from 'react'
import { roles, type Role } from '#contract/studio/command.ts'
import type { IconName } from '#web/ui/Icon.tsx'

/** A part of the studio with a place in its navigation. */
export interface Area {
  name: 'content' | 'money' | 'people' | 'plans' | 'team'
  path: string
  icon: IconName
  /** Whose role has anything to do there. */
  roles: readonly Role[]
  load: () => Promise<{ Component: ComponentType }>
}

/** In the order of the navigation; the first that a role has is its start page. */
export const areas: readonly Area[] = [
  {
    name: 'content',
    path: '/studio/content',
    icon: 'play',
    roles,
    load: () => import('./content/ContentScreen.tsx'),
  },
  {
    name: 'money',
    path: '/studio/money',
    icon: 'captions',
    roles: ['owner', 'support', 'analyst'],
    load: () => import('./money/MoneyScreen.tsx'),
  },
  {
    name: 'people',
    path: '/studio/people',
    icon: 'search',
    roles: ['owner', 'support'],
    load: () => import('./people/PeopleScreen.tsx'),
  },
  {
    name: 'plans',
    path: '/studio/plans',
    icon: 'list',
    roles: ['owner', 'support', 'analyst'],
    load: () => import('./plans/PlansScreen.tsx'),
  },
  { name: 'team', path: '/studio/team', icon: 'user', roles, load: () => import('./team/TeamScreen.tsx') },
]
