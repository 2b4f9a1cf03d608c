/** Whether the runtime is Deno. */
export const isDeno = 'Deno' in globalThis
