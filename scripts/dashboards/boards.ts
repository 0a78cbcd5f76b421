import type { Board } from './board.ts'
import { FRONT_DOOR } from './front-door.ts'
import { PARTNERS } from './partners.ts'
import { STORE } from './store.ts'
import { UPSTREAM } from './upstream.ts'

/** Every dashboard that ships. */
export const BOARDS: readonly Board[] = [FRONT_DOOR, PARTNERS, STORE, UPSTREAM]
