/** What waits, in a line for each owner. The first owner is next. */
export type OwnerLines<Item> = Map<string | undefined, Item[]>

/** Adds an item to its owner's line. */
export function addTo<Item>(lines: OwnerLines<Item>, owner: string | undefined, item: Item): void {
  const line = lines.get(owner)
  if (line) line.push(item)
  else lines.set(owner, [item])
}

/**
 * Takes an item of the owner who is next. Owners take turns, however many items each has.
 *
 * @param take takes an item out of a line
 */
export function takeNext<Item>(
  lines: OwnerLines<Item>,
  take: (line: Item[]) => Item | undefined,
): Item | undefined {
  const [next] = lines
  if (!next) return undefined
  const [owner, line] = next
  const item = take(line)
  lines.delete(owner)
  if (line.length > 0) lines.set(owner, line)
  return item
}
