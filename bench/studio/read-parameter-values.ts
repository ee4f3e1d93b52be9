import type { Pool } from 'pg'
import type { TSchema } from 'typebox'
import { randomWord } from '#bench/catalogue/random-words.ts'
import { dayMs } from '#server/platform/clock.ts'
import { campaignLinks } from './money-steps.ts'

/**
 * Values of request parameters. A key is a command and its field (`order show id`), or only a field (`day`) for all
 * commands.
 */
export type ParameterValues = Record<string, readonly string[]>

/**
 * Number of different records that are requested in turn: so many that no record is still cached when it is requested
 * again.
 */
const samples = 100

/** Reads the parameter values from the filled database. */
export async function readParameterValues(pool: Pool): Promise<ParameterValues> {
  const some = async (from: string, column = 'id') => {
    const { rows } = await pool.query<{ value: string }>(
      `SELECT ${column} AS value FROM ${from} ORDER BY md5(${column}) LIMIT ${samples}`,
    )
    return rows.map(({ value }) => value)
  }
  const [videos, orders, plans] = [await some('videos'), await some('orders'), await some('plans')]
  const members = await some('users WHERE email IS NOT NULL')
  const emails = await some('orders', 'email')
  return {
    'order show id': orders,
    'customer show id': members,
    'customer history id': members,
    'customer find keyword': [...emails, ...orders, ...members],
    'plan subscribers id': plans,
    'experiment show id': await some('experiments'),
    'video show id': videos,
    'episode playback id': await some('episodes'),
    // Only videos that have uploads in progress.
    'upload list video_id': await some('uploads', 'video_id'),
    'audit list subject': [...videos, ...orders],
    video_id: videos,
    customer: [...emails, ...members],
    keyword: Array.from({ length: samples }, (_, index) => randomWord(0, index)),
    token: Array.from({ length: campaignLinks }, (_, index) => `bench${index + 1}`),
    day: daysAgo.map((days) => timeBefore(days).slice(0, 10)),
  }
}

const daysAgo = [1, 7, 30, 90, 180, 300]
const timeBefore = (days: number) => new Date(Date.now() - days * dayMs).toISOString()

/**
 * Returns the known values of a field. Without known values, returns values that the field's schema permits: the listed
 * values of an enum, past times for a time, or the maximum of a number.
 * @throws Error if there are neither known nor permitted values
 */
export function valuesFor(
  values: ParameterValues,
  command: string,
  field: string,
  schema: TSchema | undefined,
): readonly string[] {
  const known = values[`${command} ${field}`] ?? values[field]
  if (known && known.length > 0) return known
  const {
    enum: closed,
    format,
    maximum,
  } = (schema ?? {}) as { enum?: string[]; format?: string; maximum?: number }
  if (closed) return closed
  if (format === 'date-time') return daysAgo.map(timeBefore)
  if (maximum !== undefined) return [String(maximum)]
  throw new Error(
    `bench/studio/read-parameter-values.ts has no value for the field “${field}” of “${command}”`,
  )
}
