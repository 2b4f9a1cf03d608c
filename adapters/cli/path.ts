/** The path of a target, which may be a whole URL. Not `new URL`, which would take docs for the host in //docs. */
export function pathOf(url: string): string {
  return /^(?:https?:\/\/[^/?]+)?([^?]*)/i.exec(url)![1]!
}
