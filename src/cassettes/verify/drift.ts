import { headerOf } from '../../http/header-lines.ts'
import { mediaTypeOf } from '../../http/media-type.ts'
import { withoutOrigin } from '../../http/target.ts'
import type { CapturedReply, Interaction } from '../interaction.ts'
import { readJson } from '../message/json-tree.ts'
import { bodyValue, readableBody } from '../message/readable-body.ts'
import { jsonDrift } from './json-drift.ts'
import type { Drift, DriftContext } from './report.ts'

/** What a client acts on. The others tell the moment, the connection or the rate. */
const HEADERS = [
  'allow',
  'content-disposition',
  'content-language',
  'deprecation',
  'idempotency-replayed',
  'link',
  'location',
  'sunset',
  'www-authenticate',
]

/**
 * How a live reply differs from the recorded one. Instants, bound and redacted values, rate headers and request ids
 * are compared by their type alone. Breaking: what is gone, another type or status, another value of what is not
 * volatile.
 */
export function driftOf(interaction: Interaction, live: CapturedReply, context: DriftContext): Drift[] {
  const { reply } = interaction
  if (reply === undefined) return []
  if (reply.status !== live.status) {
    const [recorded, now] = [statusText(reply), statusText(live)]
    return [{ at: 'status', kind: 'status', breaking: true, recorded, live: now }]
  }
  return [...headerDrift(interaction, reply, live), ...bodyDrift(interaction, reply, live, context)]
}

function statusText(reply: CapturedReply): string {
  const code = bodyValue(reply, '/code')
  return code === undefined ? String(reply.status) : `${reply.status} ${code}`
}

function headerDrift(interaction: Interaction, recorded: CapturedReply, live: CapturedReply): Drift[] {
  const drifts: Drift[] = []
  const free = placesOf(interaction, 'reply-header')
  const [was, is] = [mediaTypeOf(recorded.headers), mediaTypeOf(live.headers)]
  if (was !== is && recorded.body.length > 0)
    drifts.push({ at: 'reply-header /content-type', kind: 'type', breaking: true, recorded: was, live: is })
  for (const name of HEADERS) {
    const at = `reply-header /${name}`
    const [before, now] = [headerOf(recorded.headers, name), headerOf(live.headers, name)]
    if (before === undefined && now !== undefined)
      drifts.push({ at, kind: 'added', breaking: false, live: now })
    else if (before !== undefined && now === undefined)
      drifts.push({ at, kind: 'removed', breaking: true, recorded: before })
    else if (before !== undefined && now !== undefined && !free.has(`/${name}`)) {
      if (withoutOrigin(before) !== withoutOrigin(now))
        drifts.push({ at, kind: 'value', breaking: false, recorded: before, live: now })
    }
  }
  return drifts
}

function bodyDrift(
  interaction: Interaction,
  recorded: CapturedReply,
  live: CapturedReply,
  context: DriftContext,
): Drift[] {
  const [was, is] = [textOf(recorded), textOf(live)]
  const [before, now] = [readJson(was), readJson(is)]
  if (before && now) {
    const free = placesOf(interaction, 'reply-body')
    return jsonDrift(before.root, now.root, { ...context, free, operation: interaction.operation })
  }
  const at = 'reply-body'
  if (before || (was.length > 0 && is.length === 0)) {
    if (is.length === 0) return [{ at, kind: 'removed', breaking: true }]
    return [{ at, kind: 'type', breaking: true, recorded: 'JSON', live: 'no JSON' }]
  }
  if (was.length === 0 && is.length > 0) return [{ at, kind: 'added', breaking: false }]
  // A page or a file: that it differs is worth knowing, and no test can rest on its bytes.
  if (Buffer.compare(was, is) === 0) return []
  return [
    {
      at,
      kind: 'value',
      breaking: false,
      recorded: `${was.length} bytes`,
      live: `${is.length} other bytes`,
    },
  ]
}

function textOf(reply: CapturedReply): Buffer {
  return Buffer.from(readableBody(reply).bytes, 'latin1')
}

/** Where something is bound or redacted. */
export function placesOf({ bindings, redactions }: Interaction, part: string): ReadonlySet<string> {
  const places = [...bindings.flatMap((binding) => binding.places), ...redactions.map(({ place }) => place)]
  return new Set(places.filter((place) => place.part === part).map(({ pointer }) => pointer))
}
