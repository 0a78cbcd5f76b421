/**
 * How much is repeated and generated, and how long anything may take. `npm run test:quick`, `npm test` and
 * `npm run soak` differ in TEST_EFFORT alone, and nothing else reads it.
 */
const EFFORTS = ['quick', 'full', 'soak'] as const
export type Effort = (typeof EFFORTS)[number]

function chosen(): Effort {
  const name = process.env.TEST_EFFORT ?? 'full'
  const effort = EFFORTS.find((each) => each === name)
  if (effort === undefined) throw new Error(`TEST_EFFORT is one of ${EFFORTS.join(', ')}, not ${name}`)
  return effort
}

export const EFFORT = chosen()
const isSoak = EFFORT === 'soak'
/** Of what is generated, where a result is wanted at once, within minutes, or at night. */
const SHARE = { quick: 0.1, full: 0.3, soak: 1 }[EFFORT]
/** Of what is counted: only a result at once does less of it. */
const COUNTED = EFFORT === 'quick' ? SHARE : 1

/** A number of a test; a variable of its own sets it for one run. */
function count(variable: string, full: number, soak: number): number {
  const text = process.env[variable]
  if (text === undefined || text === '') return isSoak ? soak : Math.ceil(full * COUNTED)
  const given = Number(text)
  if (!Number.isSafeInteger(given) || given < 1)
    throw new Error(`${variable} is a number from 1, not ${text}`)
  return given
}

/** Hostile requests that are thrown at one gateway. */
export const HOSTILE_REQUESTS = count('SANDGATE_HOSTILE_REQUESTS', 2200, 1_000_000)
/** Repeats the requests of a run that failed. */
export const HOSTILE_SEED = count('SANDGATE_HOSTILE_SEED', anySeed(), anySeed())
/** Requests that are forwarded while memory is watched. */
export const FORWARDED_REQUESTS = count('TEST_FORWARDED_REQUESTS', 4000, 500_000)
/** Payments that are sent through a gateway whose upstream misbehaves, and which is killed meanwhile. */
export const FAULTY_PAYMENTS = count('TEST_FAULTY_PAYMENTS', 300, 10_000)
/** Generated requests whose answers are held against the OpenAPI document; in a soak 4000 for each operation. */
export const DOCUMENT_REQUESTS = count('TEST_DOCUMENT_REQUESTS', 1200, 4000 * 19)
/** Lives of a gateway under load, of a recorder, and of a store. */
export const GATEWAY_KILLS = count('TEST_GATEWAY_KILLS', 5, 300)
export const RECORDER_KILLS = count('TEST_RECORDER_KILLS', 5, 1000)
export const STORE_KILLS = count('TEST_STORE_KILLS', 5, 200)

/** Data files that are spoilt and opened: of 60, chance left less than a quarter damaged in one run of a hundred. */
export const SPOILT_FILES = count('TEST_SPOILT_FILES', 120, 20_000)

/** Payments that are made at once where four may be in flight. */
export const OVERLOAD_REQUESTS = count('TEST_OVERLOAD_REQUESTS', 150, 10_000)

/** How often a quota is run into from several connections at once. */
export const QUOTA_ROUNDS = count('TEST_QUOTA_ROUNDS', 1, 300)

/** Finished answers in one store. */
export const STORED_ANSWERS = count('TEST_STORED_ANSWERS', 52_000, 5_000_000)
/** Partners in one configuration. */
export const MANY_PARTNERS = count('TEST_MANY_PARTNERS', 1500, 10_000)

/** Secrets and people that are put into generated exchanges, ten in a recording. */
export const CANARIES = count('TEST_CANARIES', 200, 60_000)

const PROPERTY_FACTOR = count('TEST_PROPERTY_FACTOR', 1, 20)

/** How often a property is tried, of how often it should be once: `npm test` tries a third of that, a soak twenty times. */
export function runs(once: number): number {
  return Math.ceil(once * SHARE) * PROPERTY_FACTOR
}

function anySeed(): number {
  return 1 + Math.floor(Math.random() * 2 ** 31)
}

/**
 * The longest wait for something that happens at once on a quiet machine: far more than a machine with other work
 * needs, and less than TEST_MS, so that what did not come is named by its own message.
 */
export const WAIT_MS = 60_000
/** What is promised within a second: that on a machine that has time for it, the rest for one that is busy. */
export const WITHIN_A_SECOND_MS = 3000
/** The longest time of a test and of a hook: what takes longer hangs. */
export const TEST_MS = isSoak ? 4 * 3_600_000 : 300_000
