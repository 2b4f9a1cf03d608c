import { Outlet, Scripts } from 'react-router'

function note(by: string, { request }: { request: Request }) {
  if (request.url.includes('noted')) console.log(`noted by ${by}`)
}

export const middleware = [(context: { request: Request }) => note('middleware', context)]

export function loader(context: { request: Request }) {
  note('loader', context)
  return null
}

export default function App() {
  return (
    <html lang="en">
      <body>
        <Outlet />
        <Scripts />
      </body>
    </html>
  )
}
