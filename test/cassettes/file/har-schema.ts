import Type from 'typebox'

/** HAR 1.2 as its specification has it: what is required, and of which type. Custom fields begin with `_`. */
const Count = Type.Integer({ minimum: -1 })
const Text = Type.String()
const Instant = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}(Z|[+-]\\d{2}:\\d{2})$',
})
const Comment = { comment: Type.Optional(Text) }
const strict = <P extends Type.TProperties>(properties: P) =>
  Type.Object({ ...properties, ...Comment }, { additionalProperties: false })

const NameValue = strict({ name: Text, value: Text })
const Cookie = strict({
  name: Text,
  value: Text,
  path: Type.Optional(Text),
  domain: Type.Optional(Text),
  expires: Type.Optional(Text),
  httpOnly: Type.Optional(Type.Boolean()),
  secure: Type.Optional(Type.Boolean()),
})
const Ours = Type.Record(Text, Type.Unknown())

/** `encoding` of a request's body is what Playwright has added to the standard. */
const PostData = strict({
  mimeType: Text,
  text: Text,
  encoding: Type.Optional(Type.Literal('base64')),
})

const Request = strict({
  method: Text,
  url: Type.String({ pattern: '^https?://' }),
  httpVersion: Type.String({ pattern: '^HTTP/1\\.[01]$' }),
  cookies: Type.Array(Cookie),
  headers: Type.Array(NameValue),
  queryString: Type.Array(NameValue),
  postData: Type.Optional(PostData),
  headersSize: Count,
  bodySize: Count,
})

const Response = strict({
  status: Type.Integer({ minimum: 0 }),
  statusText: Text,
  httpVersion: Type.String({ pattern: '^HTTP/1\\.[01]$' }),
  cookies: Type.Array(Cookie),
  headers: Type.Array(NameValue),
  content: strict({
    size: Type.Integer({ minimum: 0 }),
    compression: Type.Optional(Type.Integer()),
    mimeType: Text,
    text: Type.Optional(Text),
    encoding: Type.Optional(Type.Literal('base64')),
  }),
  redirectURL: Text,
  headersSize: Count,
  bodySize: Count,
})

const Duration = Type.Number({ minimum: 0 })

const Entry = strict({
  startedDateTime: Instant,
  time: Duration,
  request: Request,
  response: Response,
  cache: strict({}),
  timings: strict({ send: Duration, wait: Duration, receive: Duration }),
  _cassette: Ours,
})

export const Har = Type.Object(
  {
    log: strict({
      version: Type.Literal('1.2'),
      creator: strict({ name: Text, version: Text }),
      _cassette: Ours,
      entries: Type.Array(Entry),
    }),
  },
  { additionalProperties: false },
)
