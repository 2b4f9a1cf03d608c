import { vi } from 'vitest'

// The files of the tests share processes, and the packages that they import, but not the project's own modules:
// some keep state, such as the number of errors in this second.
vi.resetModules()
// Those of each file that starts processes stop them when this one exits: more listeners than Node's warning expects.
process.setMaxListeners(100)
// CI services set it. The programs that tests start print to pipes.
delete process.env.FORCE_COLOR
