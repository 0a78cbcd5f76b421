/**
 * A name for a value that has none on the other side: its own when that is free. When another value is known by it,
 * that value has given up its own name, which is then tried, and so on. No two values have one name, so the chain ends
 * at a name that is free. `holderOf`: the value that is known by a name.
 */
export function freeName(own: string, holderOf: (name: string) => string | undefined): string {
  let name = own
  for (;;) {
    const holder = holderOf(name)
    if (holder === undefined || holder === name) return name
    name = holder
  }
}
