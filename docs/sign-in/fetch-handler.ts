declare const auth: () => Promise<{ user?: { id: string } } | null> // that of Auth.js, for example

export async function handler(request: Request): Promise<Response> {
  const user = (await auth())?.user
  if (!user) return Response.json({ error: 40101, message: 'Sign in first.' }, { status: 401 })
  return store.as({ owner: user.id }).fetch(request)
}
