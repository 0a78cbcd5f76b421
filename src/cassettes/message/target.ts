import { takeLane } from '../../http/lane.ts'
import { type SplitTarget, splitTarget, withoutOrigin } from '../../http/target.ts'

/** Path and query as they are compared: whether a recorder has left an origin or a lane's prefix makes no difference. */
export function comparedTarget(target: string): SplitTarget {
  return splitTarget(takeLane(withoutOrigin(target)).target)
}
