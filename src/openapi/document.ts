/**
 * The parts of OpenAPI 3.1.0 that the document uses. Types, not interfaces: OpenAPI tools take objects
 * that may have `x-…` members, and TypeScript accepts a type there, but not an interface.
 */
export type OpenApiDocument<Prefix extends string = ''> = {
  openapi: '3.1.0'
  info: {
    title: string
    version: string
    description: string
    license: { name: string; identifier: string }
  }
  servers: Server[]
  tags: { name: string; description: string }[]
  paths: Paths
  components: {
    schemas: Prefixed<Prefix, Schemas>
    responses: Prefixed<Prefix, SharedFailures>
    securitySchemes: Prefixed<Prefix, SecuritySchemes>
  }
}

type Prefixed<Prefix extends string, Parts> = {
  [Name in keyof Parts & string as Prefix extends ''
    ? Name
    : `${Prefix}${Capitalize<Name>}`]: Parts[Name]
}

type SecuritySchemes = {
  bearerAuth: { type: 'http'; scheme: 'bearer'; description: string }
}

type Server = { url: string; description?: string | undefined }

export type Paths = {
  '/plants': { get: Operation; post: Operation }
  '/plants/{id}': { delete: Operation }
}

export type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { description: string; required: boolean; content: JsonContent }
  responses: Record<string, Response | Reference>
}

export type SharedFailures = Record<
  'Unauthorized' | 'Forbidden' | 'TooManyRequests' | 'InternalServerError' | 'ServiceUnavailable',
  Response
>

type Parameter = {
  name: string
  in: 'path' | 'query'
  required?: boolean
  description: string
  schema: Schema
  example?: unknown
}

export type Response = {
  description: string
  headers?: Record<string, Header>
  content?: JsonContent
  links?: Record<string, Link>
}

export type Header = { description: string; required?: boolean; schema: Schema; example?: unknown }

/** An operation that can follow a response. */
export type Link = { operationId: string; description: string; parameters: Record<string, string> }

type JsonContent = {
  'application/json': {
    schema: ArraySchema | Reference
    example?: unknown
    examples?: Record<string, { summary?: string; value: unknown }>
  }
}

export type Schemas = {
  Plant: ObjectSchema
  NewPlant: ObjectSchema
  Error: ObjectSchema
}

export type ObjectSchema = Schema & { properties: Record<string, Schema>; required: string[] }

export type Schema = {
  type: 'integer' | 'object' | 'string'
  description?: string
  format?: 'int32' | 'int64'
  minimum?: number
  maximum?: number
  pattern?: string
  minLength?: number
  enum?: string[]
}

type ArraySchema = { type: 'array'; items: Reference }

export type Reference = { $ref: string }
