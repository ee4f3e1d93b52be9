import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'

export const getHealth = endpoint({
  method: 'GET',
  path: '/api/health',
  summary: 'Tells whether the process is alive',
  refuses: [],
  info: Type.Object({ alive: Type.Boolean() }),
})

export const getReady = endpoint({
  method: 'GET',
  path: '/api/ready',
  summary: 'Tells whether the site can serve: the database answers',
  refuses: [],
  info: Type.Object({ ready: Type.Boolean() }),
})
