/** A schema of JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

export interface MediaType {
  readonly schema?: JsonSchema | Reference
  readonly [more: `x-${string}`]: unknown
}

export interface ParameterObject {
  readonly name: string
  readonly in: 'query'
  readonly description?: string
  readonly required?: boolean
  readonly deprecated?: boolean
  readonly style?: 'form'
  readonly explode?: boolean
  readonly schema: JsonSchema
  readonly [more: `x-${string}`]: unknown
}

export interface Reference {
  readonly $ref: string
}

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, Reference>>
  readonly content?: Readonly<Record<string, MediaType>>
}

export interface RequestBodyObject {
  readonly description: string
  readonly required: boolean
  readonly content: Readonly<Record<string, MediaType & { readonly encoding?: unknown }>>
}

export interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly parameters: ReadonlyArray<ParameterObject | Reference>
  readonly requestBody?: RequestBodyObject
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>
  readonly [more: `x-${string}`]: unknown
}

/** An OpenAPI 3.1 document, as far as one is made here. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly security: ReadonlyArray<Readonly<Record<string, readonly string[]>>>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string; readonly [more: `x-${string}`]: unknown }>
  readonly paths: Readonly<Record<string, { readonly post: OperationObject }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly parameters: Readonly<Record<string, ParameterObject>>
    readonly headers: Readonly<Record<string, unknown>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
  }
  readonly [more: `x-${string}`]: unknown
}
