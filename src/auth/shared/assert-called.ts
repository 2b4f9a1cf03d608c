/** Throws if the function itself was passed as the verifier. It then gets a token where it expects its options. */
export function assertCalled(name: string, options: unknown): void {
  if (typeof options !== 'string') return
  throw new TypeError(
    `${name} takes an object; got a string. Pass ${name}({ … }) to createPlantStore, not ${name}`,
  )
}
