import { apps, DEFAULT_MOUNTS } from './apps.ts'
import type { Result } from './results.ts'

/** The table of everything that has passed, with the package whose version is shown. */
export function resultsTable(results: readonly Result[]): string {
  const packages = new Map(
    apps.flatMap(({ title, versionOf, mounts = DEFAULT_MOUNTS }) =>
      mounts.map((mount) => [mount.title ? `${title} (${mount.title})` : title, versionOf]),
    ),
  )
  const rows = results.map(
    ({ title, version, date }) => `| ${title} | ${packages.get(title)} ${version} | ${date} |`,
  )
  return ['| App | Version | Passed on |', '|---|---|---|', ...rows].join('\n')
}
