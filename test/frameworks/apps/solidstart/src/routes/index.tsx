export default function Home() {
  return <h1>Plants</h1>
}
