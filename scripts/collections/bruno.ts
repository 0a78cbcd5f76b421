import { type Collection, type CollectionRequest, ENVIRONMENT } from './requests.ts'

/** A collection of Bruno: its files, by their path in its folder. */
export function brunoFiles({
  name,
  description,
  folders,
  requests,
}: Collection): Readonly<Record<string, string>> {
  return {
    'bruno.json': `${JSON.stringify({ version: '1', name, type: 'collection' }, null, 2)}\n`,
    'collection.bru': file(
      block('auth', ['mode: bearer']),
      block('auth:bearer', ['token: {{accessToken}}']),
      block('script:pre-request', TOKEN),
      block('docs', description),
    ),
    'environments/demo.bru': file(
      block(
        'vars',
        Object.entries(ENVIRONMENT).map(([key, value]) => `${key}: ${value}`),
      ),
    ),
    ...Object.fromEntries(
      folders.flatMap((folder, at) => [
        [
          `${folder.name}/folder.bru`,
          file(
            block('meta', [`name: ${folder.name}`, `seq: ${at + 1}`]),
            block('auth', ['mode: inherit']),
            block('docs', folder.description),
          ),
        ],
        ...requests
          .filter((request) => request.folder === folder.name)
          .map((request, index) => [fileNameOf(request), requestFile(request, index + 1)]),
      ]),
    ),
  }
}

const fileNameOf = ({ folder, id, variant }: CollectionRequest) =>
  `${folder}/${[id, variant].filter(Boolean).join('.')}.bru`

const file = (...blocks: readonly string[]) => `${blocks.filter(Boolean).join('\n\n')}\n`

/** A block with its lines indented, which is how Bruno finds its end; none where there is nothing in it. */
function block(name: string, content: string | readonly string[]): string {
  const lines = typeof content === 'string' ? content.trimEnd().split('\n') : content
  if (lines.join('') === '') return ''
  return `${name} {\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n}`
}

const TOKEN = `
// Gets a token where there is none, or none that is good for another half minute. What a variable holds is in memory:
// what an environment holds may be written into its file.
if (!req.getUrl().endsWith('/auth/token') && !(Date.now() < Number(bru.getVar('tokenExpiresAt')) - 30000)) {
  const form = {
    grant_type: 'client_credentials',
    client_id: bru.getEnvVar('clientId'),
    client_secret: bru.getEnvVar('clientSecret'),
  }
  const response = await bru.sendRequest({
    method: 'POST',
    url: bru.getEnvVar('baseUrl') + '/auth/token',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    data: Object.entries(form).map(([name, value]) => name + '=' + encodeURIComponent(value)).join('&'),
  })
  bru.setVar('accessToken', response.data.access_token)
  bru.setVar('tokenExpiresAt', String(Date.now() + response.data.expires_in * 1000))
}
`.trimStart()

function requestFile(request: CollectionRequest, seq: number): string {
  const { name, method, path, form, json, makesToken, query, pathParameters, headers } = request
  const sent = query.filter((each) => each.sent).map(({ name, value }) => `${name}=${value}`)
  const url = `{{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}${sent.length > 0 ? `?${sent.join('&')}` : ''}`
  const body = form ? 'formUrlEncoded' : json ? 'json' : 'none'
  return file(
    block('meta', [`name: ${name.replaceAll(':', ',')}`, 'type: http', `seq: ${seq}`]),
    block(method.toLowerCase(), [`url: ${url}`, `body: ${body}`, `auth: ${makesToken ? 'none' : 'inherit'}`]),
    block(
      'params:query',
      query.map(({ name, value, sent }) => `${sent ? '' : '~'}${name}: ${value}`),
    ),
    block(
      'params:path',
      pathParameters.map((each) => `${each}: {{${each}}}`),
    ),
    block(
      'headers',
      headers.map((header) => `${header.name}: ${header.value === 'key' ? '{{$guid}}' : '{{tenant}}'}`),
    ),
    form
      ? block(
          'body:form-urlencoded',
          Object.entries(form).map(([key, value]) => `${key}: ${value}`),
        )
      : '',
    json ? block('body:json', JSON.stringify(json, null, 2)) : '',
    block('script:pre-request', beforeOf(request)),
    block('script:post-response', afterOf(request)),
    block('tests', testOf(request)),
    block('docs', request.description),
  )
}

function beforeOf({ uses, deletes }: CollectionRequest): readonly string[] {
  return [
    ...uses.map(
      ({ name, from }) =>
        `if (!bru.getVar('${name}')) throw new Error('Send "${from}" first: it makes ${name}.')`,
    ),
    ...(deletes
      ? [
          '// Deletes what your tenant has made: only where the environment allows it.',
          "if (bru.getEnvVar('allowReset') !== 'true') bru.runner.skipRequest()",
        ]
      : []),
  ]
}

function afterOf({ makes, makesToken }: CollectionRequest): readonly string[] {
  return [
    ...(makesToken
      ? [
          "bru.setVar('accessToken', res.getBody().access_token)",
          "bru.setVar('tokenExpiresAt', String(Date.now() + res.getBody().expires_in * 1000))",
        ]
      : []),
    ...makes.map((name) => `bru.setVar('${name}', res.getBody().${name})`),
  ]
}

function testOf({ status, answers, outcome }: CollectionRequest): readonly string[] {
  const title = JSON.stringify(`${status}: ${answers}`)
  return [
    `test(${title}, () => expect(res.getStatus()).to.equal(${status}))`,
    ...(outcome === undefined
      ? []
      : [`test('the outcome is ${outcome}', () => expect(res.getBody().outcome).to.equal('${outcome}'))`]),
  ]
}
