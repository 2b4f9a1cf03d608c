// Not in TypeScript's library yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

export function bodySerializer(body: unknown): string {
  return JSON.stringify(body, (_key, value) =>
    typeof value === 'bigint' ? rawJSON(String(value)) : value,
  )
}
