import { withoutOrigin } from '../../http/target.ts'
import type { CapturedReply, Interaction } from '../interaction.ts'
import { placeKey } from '../message/place.ts'
import { TOKEN_DELIMITERS, valuesOf } from '../message/values.ts'

/** Which live value stands for a recorded one that the server has made: identifiers, cursors, tokens. */
export type LiveValues = {
  readonly liveOf: (lane: string, type: string, recorded: string) => string | undefined
  /** The live secret behind a stand-in, whatever field it came from. */
  readonly secretOf: (standIn: string) => string | undefined
  readonly learn: (interaction: Interaction, live: CapturedReply) => void
}

/**
 * Values are known by lane first; a value that another lane was given is the fallback, because an account that one
 * client has opened may be read by another.
 */
export function createLiveValues(): LiveValues {
  const values = new Map<string, string>()
  const secrets = new Map<string, string>()
  const inLane = (lane: string, type: string, recorded: string) => `${lane}\0${type}\0${recorded}`
  const anywhere = (type: string, recorded: string) => `\0\0${type}\0${recorded}`

  const learn = (interaction: Interaction, live: CapturedReply): void => {
    const { request, lane, bindings } = interaction
    const recorded = valuesOf(interaction)
    const now = valuesOf({ request, reply: live })
    for (const { type, value, madeBy, places } of bindings) {
      if (madeBy !== 'server' || type === 'requestId') continue
      for (const place of places) {
        if (!place.part.startsWith('reply')) continue
        const found = counterpart(value, recorded.get(placeKey(place)), now.get(placeKey(place)))
        if (found === undefined || found === '') continue
        // What a read shows may be another record of a list; what a write answers is the one that was asked for.
        if (request.method === 'GET' && values.has(inLane(lane, type, value))) continue
        values.set(inLane(lane, type, value), found)
        values.set(anywhere(type, value), found)
        if (value.startsWith('redacted-')) secrets.set(value, found)
        break
      }
    }
  }

  return {
    liveOf: (lane, type, recorded) =>
      values.get(inLane(lane, type, recorded)) ?? values.get(anywhere(type, recorded)),
    secretOf: (standIn) => secrets.get(standIn),
    learn,
  }
}

/** The live text that stands where the recorded value stood: the whole of it, or the same part of a URL. */
function counterpart(
  value: string,
  recorded: string | undefined,
  live: string | undefined,
): string | undefined {
  if (recorded === undefined || live === undefined) return undefined
  if (recorded === value) return live
  const [was, is] = [parts(recorded), parts(live)]
  const at = was.indexOf(value)
  return at === -1 || was.length !== is.length ? undefined : is[at]
}

function parts(text: string): string[] {
  return withoutOrigin(text).split(TOKEN_DELIMITERS)
}
