import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientSubject } from '../checks/client-ip.ts'
import type { Refusal } from '../errors/refusal.ts'
import type { Session } from '../portal/sign-in/sessions.ts'
import type { RateWindow, WindowState } from '../store/store.ts'
import type { Principal } from '../tokens/verify.ts'
import type { Endpoint } from './endpoint.ts'
import type { Standing } from './lifecycle.ts'
import type { Settings } from './settings.ts'
import type { Connection } from './wire/connection.ts'

/** One request and its reply, on its way through the pipeline. */
export type Exchange = {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly connection: Connection
  readonly endpoint: Endpoint | undefined
  /** The Allow header of a path that exists with other methods. */
  readonly allowed: string | undefined
  readonly params: Readonly<Record<string, string>>
  /** Of the gateway in front, where one that is trusted has sent it. */
  requestId: string
  readonly settings: Settings
  readonly client: ClientSubject
  /** Of the path prefix `/_lane/NAME`, which a gateway that records or replays takes off. */
  readonly lane: string | undefined
  /** Undefined for a target that is not a path. */
  readonly path: string | undefined
  readonly query: string
  /** performance.now() at arrival; for durations only. */
  readonly startedAt: number
  /** How much of the time was the client's, who was still sending the body, and how much the decision's. */
  waitedMs: number
  decisionMs: number
  /** The gateway's clock at arrival: milliseconds since the epoch. */
  readonly arrivedAt: number
  standing: Standing
  /** Who a token says is asking. */
  principal: Principal | undefined
  /** Who has signed in at the portal, where that counts. Such a request is its address's, not its partner's. */
  signedIn: SignedIn | undefined
  /** The partner and the key that a token exchange has proven, for the log, the metrics and the recorder. */
  provenPartner: string | undefined
  provenClient: string | undefined
  /** Whom a token exchange names that has proven nothing: it may be a sandbox key, and reaches no log. */
  namedClient: string | undefined
  /** The bytes of the body, once they have been read. */
  body: Buffer
  /** What the rate headers of the reply show. With a state, the request has been counted. */
  window: RateWindow
  windowState: WindowState | undefined
  /** Set when the connection broke while the body was arriving. */
  fail: ((refusal: Refusal) => void) | undefined
  broken: Refusal | undefined
  /** Its reply has left, and what was to be done after it is done. */
  isOver: boolean
}

export type SignedIn = { readonly principal: Principal; readonly session: Session }

/** Whose usage is asked for: a token's partner, or whoever has signed in. */
export function callerOf({ principal, signedIn }: Exchange): Principal | undefined {
  return principal ?? signedIn?.principal
}
