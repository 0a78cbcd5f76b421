import { accessSync, constants } from 'node:fs'
import { isLoopbackUrl } from '../http/loopback.ts'
import { DECIDED_OPERATIONS, SHARING_RECORDS } from './contract.ts'
import type { Path } from './paths.ts'
import type { Config } from './schema.ts'
import type { Source } from './upstream.ts'

type Report = (path: Path, message: string) => void

/** Who decides an operation; the token exchange and the usage view are always ours. */
export function sourceOf({ decisions }: Pick<Config, 'decisions'>, operation: string): Source {
  const id = DECIDED_OPERATIONS.find((known) => known === operation)
  return id === undefined ? 'simulator' : (decisions.operations[id] ?? decisions.from)
}

export function checkDecisions({ decisions, upstream }: Config, report: Report): void {
  if (upstream.url !== null) return
  const message = 'is upstream, and there is no upstream.url to forward to'
  if (decisions.from === 'upstream') report(['decisions', 'from'], message)
  for (const [id, source] of Object.entries(decisions.operations)) {
    if (source === 'upstream') report(['decisions', 'operations', id], message)
  }
}

/** A key must not be given to a second request while the first one may still be answered. */
export function checkUpstreamTime({ upstream, idempotency }: Config, report: Report): void {
  const together = upstream.connectTimeoutMs + upstream.timeoutMs
  const lease = idempotency.leaseSeconds * 1000
  if (upstream.url === null || together < lease) return
  report(
    ['upstream', 'timeoutMs'],
    `makes ${together} ms with upstream.connectTimeoutMs, and must stay below idempotency.leaseSeconds, which is ${lease} ms: a retry would be sent while the first request may still be answered`,
  )
}

export function checkUpstream({ upstream }: Config, report: Report): void {
  checkTls(upstream, report)
  checkAuth(upstream, report)
  for (const [i, name] of upstream.headers.entries()) {
    if (OURS.test(name)) {
      report(['upstream', 'headers', i], `${name} is set or kept back by the gateway itself and cannot pass`)
    }
  }
}

/** What the gateway says itself, what belongs to one connection, and what proves a partner to it. */
const OURS =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-length|content-encoding|accept-encoding|authorization|cookie|proxy-.*|forwarded|x-forwarded-.*|x-real-ip|x-request-id|x-tenant-id|idempotency-key|traceparent|tracestate|x-sandgate-.*)$/i

function checkTls({ url, tls }: Config['upstream'], report: Report): void {
  const given = (['ca', 'cert', 'key'] as const).filter((name) => tls[name] !== null)
  for (const name of given) checkReadable(tls[name], ['upstream', 'tls', name], report)
  if ((tls.cert === null) !== (tls.key === null)) {
    const missing = tls.cert === null ? 'cert' : 'key'
    report(['upstream', 'tls'], `${missing} is missing: a certificate and its key go together`)
  }
  if (given.length > 0 && url?.startsWith('http:')) {
    report(['upstream', 'tls'], `has no meaning for ${url}: use https`)
  }
}

function checkAuth({ auth }: Config['upstream'], report: Report): void {
  const at = (name: keyof typeof auth): Path => ['upstream', 'auth', name]
  const needs = (name: keyof typeof auth) => {
    if (auth[name] === null) report(at(name), `is missing: auth.type is ${auth.type}`)
  }
  if (auth.type === 'client-credentials') {
    needs('tokenUrl')
    needs('clientId')
    if (auth.clientSecretFile === null) needs('clientSecret')
    checkReadable(auth.clientSecretFile, at('clientSecretFile'), report)
    if (auth.tokenUrl !== null && isClear(auth.tokenUrl)) {
      report(at('tokenUrl'), `${auth.tokenUrl} would send the secret in clear: use https beyond loopback`)
    }
  }
  if (auth.type === 'header') {
    if (auth.valueFile === null) needs('value')
    checkReadable(auth.valueFile, at('valueFile'), report)
    if (
      /^(?:host|connection|content-length|transfer-encoding|x-tenant-id|idempotency-key)$/i.test(auth.name)
    ) {
      report(at('name'), `${auth.name} is set by the gateway itself`)
    }
  }
  for (const name of ['clientSecret', 'value'] as const) {
    if (auth[name] !== null && auth[`${name}File`] !== null)
      report(at(name), `stands beside ${name}File; keep one`)
  }
}

function checkReadable(file: string | null, path: Path, report: Report): void {
  if (file === null) return
  try {
    accessSync(file, constants.R_OK)
  } catch {
    report(path, `${file} cannot be read`)
  }
}

const isClear = (url: string): boolean => url.startsWith('http:') && !isLoopbackUrl(url)

/** Whoever stands between could hand out keys, and with them every partner's rights. */
export function checkTrustedIssuers({ tokens }: Config, report: Report): void {
  const seen = new Set<string>()
  for (const [i, each] of tokens.trustedIssuers.entries()) {
    const path: Path = ['tokens', 'trustedIssuers', i]
    const { issuer, jwksUri, keys } = typeof each === 'string' ? { issuer: each } : each
    if (seen.has(issuer)) report(path, `${issuer} is listed twice`)
    seen.add(issuer)
    if (jwksUri !== undefined && keys !== undefined) report(path, 'has jwksUri and keys; keep one')
    const from = jwksUri ?? issuer
    if (keys === undefined && isClear(from)) {
      report(path, `keys from ${from} would come in clear: use https beyond loopback, or list the keys`)
    }
  }
}

/** What is allowed and probably not meant. */
export function upstreamWarnings(config: Config): string[] {
  const warnings: string[] = []
  for (const [what, operations] of Object.entries(SHARING_RECORDS)) {
    const [ours, theirs] = (['simulator', 'upstream'] as const).map((source) =>
      operations.filter((id) => sourceOf(config, id) === source),
    )
    if (!ours?.length || !theirs?.length) continue
    warnings.push(
      `decisions: ${what} share records, and come from two sources: ${theirs.join(', ')} from the upstream, ${ours.join(', ')} from the simulator. Neither knows what the other has made.`,
    )
  }
  const { url, auth } = config.upstream
  if (url !== null && isClear(url)) {
    warnings.push(
      `upstream.url: ${url} is plain http beyond loopback; requests${auth.type === 'partner' ? ' with the tokens of partners' : ''} travel in clear.`,
    )
  }
  return warnings
}
