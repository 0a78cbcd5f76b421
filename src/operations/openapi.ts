export function buildOpenApi(options: { publicUrl: string }): object {
  return { openapi: '3.1.0', servers: [{ url: options.publicUrl }] }
}
