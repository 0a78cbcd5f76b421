import Type from 'typebox'

/** What the sections of the configuration are made of. */

export const closed = { additionalProperties: false } as const

/** A configuration is never changed in place; a reload makes another one. */
export type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T

export const oneOf = <const V extends readonly string[]>(values: V, options: object = {}) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options })

export const count = (description: string, initial: number, minimum = 1, maximum = 2 ** 31 - 1) =>
  Type.Integer({ minimum, maximum, default: initial, description })

export const section = <P extends Type.TProperties>(
  properties: P,
  description: string,
  options: object = {},
) => Type.Object(properties, { ...closed, description, default: {}, ...options })

export const nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { default: null, description })

export const Host = (description: string) =>
  Type.String({ minLength: 1, format: 'host', default: '127.0.0.1', description })
