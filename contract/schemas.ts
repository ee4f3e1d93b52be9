import { Type, type Static, type TProperties, type TSchema } from 'typebox'
import { languages, type Language } from './languages.ts'

/** Returns the schema of a string from a closed list. */
export function stringEnum<const V extends readonly string[]>(values: V) {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values] })
}

/**
 * Returns a schema that also allows null. It uses a list of types instead of `anyOf`, for which the serialiser would
 * need a validator.
 */
export function nullable<S extends TSchema>(schema: S) {
  const { type, enum: values, ...rest } = schema as S & { type: string; enum?: string[] }
  return Type.Unsafe<Static<S> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  })
}

/** Returns the schema of one page of a list: `list`, the cursor of the next page (or null), and extra fields. */
export function pageOf<S extends TSchema, P extends TProperties = Record<never, never>>(item: S, extras?: P) {
  return Type.Object({
    list: Type.Array(item),
    next_cursor: nullable(Type.String()),
    ...(extras ?? ({} as P)),
  })
}

/** The paging fields of a list's query. A limit above the maximum is capped, not refused. */
export const pagingFields = {
  cursor: Type.Optional(Type.String({ maxLength: 2048 })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
}

/** Form input without a maximum length. The handler checks the length, because its refusal can name the field. */
export const FormText = Type.String()
export const Id = Type.String({ minLength: 1, maxLength: 64 })
export const Time = Type.String({ format: 'date-time' })
/** Integer cents. */
export const Cents = Type.Integer({ minimum: 0 })
/** ISO 4217. */
export const Currency = Type.String({ minLength: 3, maxLength: 3 })
/** Integer milliseconds, up to the maximum of a 32-bit database column. */
export const Milliseconds = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })
/** A language of the interface. The server also accepts `fr` for `fy` and `de` for `dy` (request-validation.ts). */
export const LanguageCode = Type.Unsafe<Language>({ ...stringEnum(languages), 'x-language': true })
