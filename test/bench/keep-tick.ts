import { createHook } from 'node:async_hooks'

const kept: object[] = []

/**
 * Keeps the object of one `process.nextTick()`, and so its hidden classes. Once a full GC has collected them, each call
 * takes four times as long: a tenth of a request in all. In one process of ten, the start causes such a GC.
 */
export function keepTick(): void {
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'TickObject') kept.push(resource)
    },
  })
  hook.enable()
  process.nextTick(() => {})
  hook.disable()
}
