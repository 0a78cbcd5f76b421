/**
 * The first index below `length` for which `isBefore` does not hold, or `length`. The list that it asks about is in
 * order: `isBefore` holds for the beginning of it and for nothing behind that.
 */
export function partitionPoint(length: number, isBefore: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}
