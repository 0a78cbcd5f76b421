/** Places at the upstream, of which everybody has the same number. */
export type Shares = {
  /** A place, once there is one for this owner; undefined when there was none within the time. */
  readonly enter: (owner: string, waitMs: number) => Place | undefined | Promise<Place | undefined>
}

export type Place = { readonly leave: () => void }

type Owner = { taken: number; readonly waiting: Set<(place: Place) => void> }

/**
 * Bounds how many requests of one owner are at the upstream at once, answers that are still being read included: the
 * connections to it are everybody's, and whoever is slow, or asks for what is slow, waits for his own.
 */
export function createShares(perOwner: number): Shares {
  const owners = new Map<string, Owner>()

  function placeOf(name: string, owner: Owner): Place {
    let isLeft = false
    const leave = (): void => {
      if (isLeft) return
      isLeft = true
      const [next] = owner.waiting
      // The place passes from one to the next; nobody is remembered who has none.
      if (next) next(placeOf(name, owner))
      else if (--owner.taken === 0) owners.delete(name)
    }
    return { leave }
  }

  return {
    enter: (name, waitMs) => {
      const owner = owners.get(name) ?? { taken: 0, waiting: new Set() }
      if (owner.taken < perOwner) {
        owner.taken++
        owners.set(name, owner)
        return placeOf(name, owner)
      }
      return new Promise((resolve) => {
        const take = (place: Place | undefined): void => {
          clearTimeout(timer)
          owner.waiting.delete(take)
          resolve(place)
        }
        const timer = setTimeout(() => take(undefined), waitMs)
        owner.waiting.add(take)
      })
    },
  }
}
