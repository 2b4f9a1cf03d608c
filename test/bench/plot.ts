export const plot = (_: unknown) => ''
