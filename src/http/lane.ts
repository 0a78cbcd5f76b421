/** Names the client under test that a request is from, for a gateway that records or replays. Lower case. */
export const LANE_HEADER = 'x-sandgate-lane'

const PREFIX = /^\/_lane\/([A-Za-z0-9._~-]{1,100})(\/.*)$/

/** The lane of a target `/_lane/NAME/rest`, and the target without it. Another spelling of NAME is no lane. */
export function takeLane(target: string): { readonly lane: string | undefined; readonly target: string } {
  const found = target.startsWith('/_lane/') ? PREFIX.exec(target) : null
  return found ? { lane: found[1], target: found[2] ?? '/' } : { lane: undefined, target }
}
