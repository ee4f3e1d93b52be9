import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'

export const getHealth = endpoint({
  method: 'GET',
  path: '/api/health',
  summary: 'Returns whether the process is alive',
  refuses: [],
  info: Type.Object({ alive: Type.Boolean() }),
})

export const getReady = endpoint({
  method: 'GET',
  path: '/api/ready',
  summary: 'Succeeds if the site can serve requests: the database responds, and the process is not stopping',
  refuses: [],
  info: Type.Object({ ready: Type.Boolean() }),
})
