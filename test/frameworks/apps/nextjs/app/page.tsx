export default function Home() {
  return <h1>The garden</h1>
}
