import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { logError } from '../../../src/http/log.ts'

// Each test and each call of `logged` has a second of its own, since what is printed in a second is limited. They are far
// from those of other test files, which may have run ahead in this process.
let now = Date.UTC(2100, 0)
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  nextSecond()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function nextSecond(): void {
  now += 1000
  vi.setSystemTime(now)
}

/** Returns what is logged for an error of a request with this token. */
function logged(error: unknown, token?: string): string {
  nextSecond()
  const print = vi.spyOn(console, 'error').mockImplementation(() => {})
  const headers = new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` })
  logError(error, { request: new Request('http://localhost/plants', { headers }) })
  expect(print).toHaveBeenCalledTimes(1)
  const [text] = print.mock.calls[0]!
  print.mockRestore()
  return text
}

it('one refusal because of overload is printed a second', () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {})
  const refusal = Object.assign(new Error('Calls wait too long'), { code: 'overloaded' })
  for (let second = 0; second < 2; second++) {
    nextSecond()
    for (let i = 0; i < 3; i++) logError(refusal, { request: new Request('http://localhost/') })
  }
  expect(print.mock.calls).toEqual([['Error: Calls wait too long'], ['Error: Calls wait too long']])
})

/** An error whose stack is its message alone. */
const errorOf = (message: string, options?: ErrorOptions) =>
  Object.assign(new Error(message, options), { stack: message })

describe('logError', () => {
  it('prints the stack, the code and the causes', () => {
    const error = new Error('outer', {
      cause: new AggregateError([new TypeError('one'), 'two'], 'inner'),
    })
    const text = logged(Object.assign(error, { code: 'ECONNRESET' }))
    expect(text).toContain('Error: outer\n    at ')
    expect(text).toContain('\ncode: ECONNRESET\ncaused by: AggregateError: inner\n')
    expect(text).toContain('\ncaused by: TypeError: one\n')
    expect(text).toMatch(/\ncaused by: two$/)
  })

  it('prints no other property', () => {
    const error = Object.assign(new Error('x'), {
      config: { headers: 'h1dden' },
      code: { x: 'h1dden' },
    })
    expect(logged(error)).not.toContain('h1dden')
  })

  it('redacts the token, also as it stands in a URL, anywhere in a text, and nothing else', () => {
    const token68 = fc.stringMatching(/^[\w.~+/-]{8,60}={0,2}$/)
    fc.assert(
      fc.property(token68, fc.constantFrom('', 'x', ' '), (token, beside) => {
        const written = [token, encodeURIComponent(token)]
        const text = logged(
          errorOf(`<${written.map((one) => beside + one + beside).join('> <')}>`),
          token,
        )
        expect(text).toBe(`<${written.map(() => `${beside}[token]${beside}`).join('> <')}>`)
      }),
    )
  })

  it('redacts the token in causes, codes and values that are not errors', () => {
    const error = errorOf('x', { cause: errorOf('s3cret-token') })
    expect(logged(Object.assign(error, { code: 's3cret-token' }), 's3cret-token')).toBe(
      'x\ncode: [token]\ncaused by: [token]',
    )
    expect(logged('s3cret-token', 's3cret-token')).toBe('[token]')
  })

  it('prints each error once when causes are circular or many', () => {
    const error = errorOf('a')
    error.cause = Object.assign(errorOf('b'), { errors: [error, errorOf('c'), error] })
    expect(logged(error)).toBe('a\ncaused by: b\ncaused by: c')
    const many = new AggregateError(
      Array.from({ length: 1000 }, (_, i) => errorOf(`e${i}`)),
      'x',
    )
    expect(logged(many).match(/caused by/g)).toHaveLength(9)
  })

  it.each<[string, unknown, string]>([
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['an object, which may hold anything', { headers: 's3cret' }, 'an object'],
    ['no stack', Object.assign(new Error('x'), { stack: undefined }), 'Error: x'],
    ['errors that are not a list', Object.assign(errorOf('x'), { errors: 7 }), 'x'],
  ])('describes whatever was thrown: %s', (_, error, expected) => {
    expect(logged(error)).toBe(expected)
  })

  it('prints nothing of the error if the request, with its token, can’t be built', () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {})
    const context = {
      get request(): Request {
        throw new TypeError('Invalid URL')
      },
    }
    logError(new Error('s3cret-token'), context)
    expect(print.mock.calls).toEqual([['An error whose token could not be redacted is not shown']])
  })
})

describe('logError in other realms', () => {
  it('prints errors of another realm, as under Jest', () => {
    const foreign = runInNewContext("new Error('outer', { cause: new TypeError('inner') })")
    expect(logged(foreign)).toMatch(/Error: outer[\s\S]+caused by: TypeError: inner/)
    const tagged = (tag: string) => ({ [Symbol.toStringTag]: tag })
    const aborted = Object.assign(Object.create(tagged('DOMException')), { stack: 'Aborted' })
    expect(logged(aborted)).toBe('Aborted')
    // As node-fetch has it.
    expect(logged(Object.assign(errorOf('x'), tagged('FetchError')))).toBe('x')
  })
})

it('logError leaves a text as it is beside a token that is too short to be found in it', () => {
  expect(logged(errorOf('token e, /plants?token=s3cret7'), 's3cret7')).toBe(
    'token e, /plants?token=s3cret7',
  )
  expect(logged(errorOf('a xs3cret78y'), 's3cret78')).toBe('a x[token]y')
})

describe('Many calls of logError', () => {
  const NOTICE = 'More than 100 errors in one second: the others are not printed'

  /** Logs e0, e1, … and gives what is printed meanwhile. */
  function printed(count: number): string[] {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {})
    const context = { request: new Request('http://localhost/plants') }
    for (let i = 0; i < count; i++) logError(errorOf(`e${i}`), context)
    const texts = print.mock.calls.map(([text]) => text)
    print.mockRestore()
    return texts
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => `e${i}`)

  it('print the first 100 of a second, and say once that there are others', () => {
    nextSecond()
    expect(printed(50)).toEqual(upTo(50))
    vi.setSystemTime(Date.now() + 999)
    expect(printed(1000)).toEqual([...upTo(50), NOTICE])
    expect(printed(7)).toEqual([])
    nextSecond()
    expect(printed(100)).toEqual(upTo(100))
    nextSecond()
    expect(printed(1)).toEqual(['e0'])
  })

  it('go on printing after the clock was set back', () => {
    expect(printed(101)).toEqual([...upTo(100), NOTICE])
    vi.setSystemTime(Date.now() - 3_600_000)
    expect(printed(1)).toEqual(['e0'])
  })
})
