import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { logError } from '../../../src/http/log-error.ts'

// Each test and each call of `logged` has a second of its own, since what is printed in a second is limited.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  nextSecond()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function nextSecond(): void {
  vi.setSystemTime(Date.now() + 1000)
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

/** An error whose stack is its message alone. */
const errorOf = (message: string, options?: ErrorOptions) =>
  Object.assign(new Error(message, options), { stack: message })

const throwing = () => {
  throw new Error('must not be seen')
}

const CHARACTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/']
const token68 = (minLength: number) =>
  fc
    .tuple(
      fc.string({ unit: fc.constantFrom(...CHARACTERS), minLength, maxLength: 40 }),
      fc.constantFrom('', '=', '=='),
    )
    .map(([text, padding]) => text + padding)
const lowerHex = (text: string) => text.replace(/%../g, (hex) => hex.toLowerCase())
const formEncoded = (text: string) => String(new URLSearchParams({ '': text })).slice(1)

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

  it('redacts the token however it is written, anywhere in a text, and nothing else', () => {
    fc.assert(
      fc.property(token68(8), fc.constantFrom('', 'x', ' '), (token, beside) => {
        const written = [token, encodeURIComponent(token), formEncoded(token)]
        const all = [...written, ...written.map(lowerHex)]
        const text = logged(
          errorOf(`<${all.map((one) => beside + one + beside).join('> <')}>`),
          token,
        )
        expect(text).toBe(`<${all.map(() => `${beside}[token]${beside}`).join('> <')}>`)
      }),
    )
  })

  it('redacts a token of less than 8 characters as a whole word only', () => {
    const message = "StorageUnavailable t can't tt 't' ?token=t&x=t t: /t/ t-t ätä t1 _t t’s (t)"
    expect(logged(errorOf(message), 't')).toBe(
      "StorageUnavailable [token] can't tt '[token]' ?token=[token]&x=[token] [token]: /[token]/ [token]-[token] ätä t1 _t t’s ([token])",
    )
    expect(logged(errorOf('s3cret+ s3cret%2B s3cret%2b xs3cret+ s3cret'), 's3cret+')).toBe(
      '[token] [token] [token] xs3cret+ s3cret',
    )
  })

  it('redacts a token of 8 characters in a word, too', () => {
    expect(logged(errorOf('x12345678x'), '12345678')).toBe('x[token]x')
    expect(logged(errorOf('x1234567x'), '1234567')).toBe('x1234567x')
  })

  it.each(['t', 'token', 'oke', 'token]', '8-bytes-'])('redacts the token %s once', (token) => {
    expect(logged(errorOf(`a ${token} b`), token)).toBe(
      token === 'token]' ? 'a token] b' : 'a [token] b',
    )
  })

  it('redacts the longest token of the most special characters', () => {
    for (const token of ['~'.repeat(16_000), '+/'.repeat(8000), `${'.'.repeat(16_000)}==`]) {
      const text = `a ${token} b ${encodeURIComponent(token)} c ${formEncoded(token)} d`
      expect(logged(errorOf(text), token)).toBe('a [token] b [token] c [token] d')
    }
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

  it.each<[string, () => unknown, string | RegExp]>([
    ['null', () => null, 'null'],
    ['undefined', () => undefined, 'undefined'],
    ['a symbol', () => Symbol('s'), 'Symbol(s)'],
    ['an object without prototype', () => Object.create(null), 'a value that cannot be read'],
    ['a toString that throws', () => ({ toString: throwing }), 'a value that cannot be read'],
    ['a stack that throws', () => withGetter('stack'), 'a value that cannot be read'],
    ['a stack that is not text', () => Object.assign(new Error('x'), { stack: 7 }), '7'],
    ['no stack', () => Object.assign(new Error('x'), { stack: undefined }), 'Error: x'],
    ['a code that throws', () => withGetter('code'), 'a value that cannot be read'],
    ['a cause that throws', () => withGetter('cause'), /^Error: x\n/],
    ['errors that throw', () => withGetter('errors'), /^Error: x\n/],
    ['a cause of what is not an Error', () => ({ toString: () => 'x', cause: errorOf('y') }), 'x'],
    ['errors that are not a list', () => Object.assign(errorOf('x'), { errors: 7 }), 'x'],
    ['a Proxy that throws', () => new Proxy({}, throwingTraps), 'a value that cannot be read'],
    [
      'a cause that is a Proxy',
      () => errorOf('x', { cause: new Proxy({}, throwingTraps) }),
      /^x\ncaused by: a value/,
    ],
  ])('never throws: %s', (_, make, expected) => {
    expect(logged(make(), 's3cret-token')).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    )
  })

  it.each<[string, unknown]>([
    ['a request that throws', Object.defineProperty({}, 'request', { get: throwing })],
    ['headers that throw', { request: Object.defineProperty({}, 'headers', { get: throwing }) }],
    ['a get that throws', { request: { headers: { get: throwing } } }],
    ['no headers', { request: {} }],
    ['no request', {}],
    ['no context', undefined],
  ])('prints nothing of the error when the token can not be read: %s', (_, context) => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {})
    logError(new Error('s3cret-token'), context as never)
    expect(print.mock.calls).toEqual([
      ['An error occurred. It is not shown, because its token could not be redacted'],
    ])
  })
})

describe('Many calls of logError', () => {
  const NOTICE = '100 errors in one second: the rest of this second is only counted'

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

  it('print the first 100 of a second, and then the number of the others', () => {
    nextSecond()
    expect(printed(50)).toEqual(upTo(50))
    expect(printed(1000)).toEqual([...upTo(50), NOTICE])
    expect(printed(7)).toEqual([])
    nextSecond()
    expect(printed(100)).toEqual(['Errors that were not printed: 957', ...upTo(100), NOTICE])
    nextSecond()
    expect(printed(1)).toEqual(['e0'])
  })

  it('go on printing after the clock was set back', () => {
    nextSecond()
    expect(printed(101)).toEqual([...upTo(100), NOTICE])
    vi.setSystemTime(Date.now() - 3_600_000)
    expect(printed(1)).toEqual(['Errors that were not printed: 1', 'e0'])
  })

  it('do not read the requests of errors that are not printed', () => {
    nextSecond()
    printed(100)
    const request = vi.fn()
    logError(new Error('x'), Object.defineProperty({}, 'request', { get: request }) as never)
    expect(request).not.toHaveBeenCalled()
  })
})

const throwingTraps = { get: throwing, getPrototypeOf: throwing, has: throwing, ownKeys: throwing }

function withGetter(name: string) {
  return Object.defineProperty(new Error('x'), name, { get: throwing })
}
