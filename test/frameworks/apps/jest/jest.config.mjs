// The plant store is ESM only. Jest runs ESM untransformed, in Node's VM modules.
export default { transform: {} }
