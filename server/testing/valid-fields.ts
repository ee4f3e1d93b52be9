import type { TObject, TSchema } from 'typebox'

/** Returns a minimal valid value for a contract schema. It names no existing record, so a call changes nothing. */
function validValue(schema: TSchema): unknown {
  const { type, enum: values, format, const: only, items, minItems } = schema as Record<string, unknown>
  if (only !== undefined) return only
  if (Array.isArray(values)) return values[0]
  if (format === 'date-time') return '2026-01-01T00:00:00Z'
  const kind: unknown = Array.isArray(type) ? type[0] : type
  if (kind === 'object') return validFields(schema as TObject)
  if (kind === 'array')
    // The cast is safe: in the contract's schemas, `items` of an array is a schema.
    return Array.from({ length: Number(minItems ?? 0) }, () => validValue(items as TSchema))
  if (kind === 'boolean') return false
  return kind === 'integer' || kind === 'number' ? 1 : 'x'
}

/** Returns the required fields of a query or body, each with a valid value. */
export function validFields({ properties, required }: TObject): Record<string, unknown> {
  return Object.fromEntries((required ?? []).map((name) => [name, validValue(properties[name] ?? {})]))
}
