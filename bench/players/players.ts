import { bareFastify } from './bare-fastify.ts'
import { mockoon } from './mockoon.ts'
import type { Player } from './player.ts'
import { sandgate } from './sandgate.ts'
import { talkback } from './talkback.ts'
import { wiremock } from './wiremock.ts'

export const PLAYERS: readonly Player[] = [bareFastify, sandgate, talkback, mockoon, wiremock]
