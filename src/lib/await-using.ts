/**
 * Lets `await using` close a store, a server or a storage. Empty for an app whose `lib` doesn't know
 * `Symbol.asyncDispose`, so that its types compile too.
 */
export type AwaitUsing = SymbolConstructor extends {
  readonly asyncDispose: infer Key extends symbol
}
  ? { readonly [K in Key]: () => Promise<void> }
  : object
