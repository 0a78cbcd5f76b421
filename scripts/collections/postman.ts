import { type Collection, type CollectionRequest, ENVIRONMENT } from './requests.ts'

/** A collection of Postman, in its format 2.1. */
export function postmanCollection({ name, description, folders, requests }: Collection): string {
  const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
  return json({
    info: { name, description, schema },
    auth: {
      type: 'bearer',
      bearer: [{ key: 'token', value: '{{accessToken}}', type: 'string' }],
    },
    event: [event('prerequest', TOKEN)],
    item: folders.map((folder) => ({
      ...folder,
      item: requests.filter((request) => request.folder === folder.name).map(itemOf),
    })),
  })
}

export function postmanEnvironment({ name }: Collection): string {
  return json({
    name: `${name} (demo)`,
    values: Object.entries(ENVIRONMENT).map(([key, value]) => ({
      key,
      value,
      type: key === 'clientSecret' ? 'secret' : 'default',
      enabled: true,
    })),
    _postman_variable_scope: 'environment',
  })
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const event = (listen: string, code: string) => ({
  listen,
  script: { type: 'text/javascript', exec: code.trimEnd().split('\n') },
})

/** Whichever request is sent first: it works alone, an hour later too. */
const TOKEN = `
// Gets a token where there is none, or none that is good for another half minute.
if (pm.request.url.getPath() !== '/auth/token' && !(Date.now() < Number(pm.environment.get('tokenExpiresAt')) - 30000)) {
  const form = {
    grant_type: 'client_credentials',
    client_id: pm.environment.get('clientId'),
    client_secret: pm.environment.get('clientSecret'),
  }
  const body = { mode: 'urlencoded', urlencoded: Object.entries(form).map(([key, value]) => ({ key, value })) }
  const url = pm.environment.get('baseUrl') + '/auth/token'
  pm.sendRequest({ url, method: 'POST', body }, (error, response) => {
    if (error || response.code !== 200) throw new Error('No token: ' + (error || response.text()))
    pm.environment.set('accessToken', response.json().access_token)
    pm.environment.set('tokenExpiresAt', String(Date.now() + response.json().expires_in * 1000))
  })
}
`.trimStart()

function itemOf(request: CollectionRequest): object {
  const before = beforeOf(request)
  return {
    name: request.name,
    event: [...(before ? [event('prerequest', before)] : []), event('test', testOf(request))],
    request: {
      ...(request.makesToken && { auth: { type: 'noauth' } }),
      method: request.method,
      description: request.description,
      header: request.headers.map(({ name, value }) => ({
        key: name,
        value: value === 'key' ? '{{$guid}}' : '{{tenant}}',
      })),
      url: urlOf(request),
      ...(request.form && {
        body: {
          mode: 'urlencoded',
          urlencoded: Object.entries(request.form).map(([key, value]) => ({ key, value })),
        },
      }),
      ...(request.json && {
        body: {
          mode: 'raw',
          raw: JSON.stringify(request.json, null, 2),
          options: { raw: { language: 'json' } },
        },
      }),
    },
    response: [],
  }
}

function urlOf({ path, pathParameters, query }: CollectionRequest): object {
  const steps = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1')
  const sent = query.filter((each) => each.sent).map(({ name, value }) => `${name}=${value}`)
  return {
    raw: `{{baseUrl}}/${steps}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
    host: ['{{baseUrl}}'],
    path: steps.split('/'),
    ...(query.length > 0 && {
      query: query.map(({ name, value, description, sent }) => ({
        key: name,
        value,
        description,
        ...(!sent && { disabled: true }),
      })),
    }),
    ...(pathParameters.length > 0 && {
      variable: pathParameters.map((name) => ({ key: name, value: `{{${name}}}` })),
    }),
  }
}

function beforeOf({ uses, deletes }: CollectionRequest): string {
  const lines = uses.map(
    ({ name, from }) =>
      `if (!pm.environment.get('${name}')) throw new Error('Send "${from}" first: it makes ${name}.')\n`,
  )
  if (deletes)
    lines.push(
      '// Deletes what your tenant has made: only where the environment allows it.\n',
      "if (pm.environment.get('allowReset') !== 'true') pm.execution.skipRequest()\n",
    )
  return lines.join('')
}

function testOf({ status, answers, outcome, makes, makesToken }: CollectionRequest): string {
  const title = JSON.stringify(`${status}: ${answers}`)
  const lines = [`pm.test(${title}, () => pm.response.to.have.status(${status}))\n`]
  if (outcome !== undefined)
    lines.push(
      `pm.test('the outcome is ${outcome}', () => pm.expect(pm.response.json().outcome).to.equal('${outcome}'))\n`,
    )
  if (makesToken)
    lines.push(
      "pm.environment.set('accessToken', pm.response.json().access_token)\n",
      "pm.environment.set('tokenExpiresAt', String(Date.now() + pm.response.json().expires_in * 1000))\n",
    )
  for (const name of makes) lines.push(`pm.environment.set('${name}', pm.response.json().${name})\n`)
  return lines.join('')
}
