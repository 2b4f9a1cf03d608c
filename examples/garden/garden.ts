/**
 * A page on plant-store/client: it asks for the token, lists the plants page by page, adds and removes them, and shows
 * what goes wrong. Vite builds it, and `examples/express.ts` serves it:
 *
 *   npx vite build examples/garden && npx node examples/express.ts
 *
 * In a project of your own, import from 'plant-store/client'.
 */
import { createPlantClient, type PlantPage, PlantStoreError } from '../../src/client.ts'

const PAGE_SIZE = 12

const find = <Found extends HTMLElement>(id: string) => document.getElementById(id) as Found
const list = find<HTMLUListElement>('plants')
const more = find<HTMLButtonElement>('more')

let token = ''
const plants = createPlantClient({ baseUrl: '/api/v1', token: () => token })
/** The page behind those that are shown. */
let next: string | undefined

/** Shows the first page. The response of a change doesn't tell where its plant belongs. */
async function showFirst(): Promise<void> {
  const page = await plants.listPage({ limit: PAGE_SIZE })
  list.replaceChildren()
  show(page)
}

function show(page: PlantPage): void {
  for (const { name, tag } of page.plants) {
    const item = document.createElement('li')
    // As text, so that a name is never markup.
    item.append(name)
    if (tag) item.appendChild(document.createElement('span')).append(tag)
    list.append(item)
  }
  next = page.next
  more.hidden = next === undefined
  find('empty').hidden = list.childElementCount > 0
}

/** Runs an action while its button is disabled, and shows its failure. */
async function run(button: HTMLButtonElement, action: () => Promise<void>): Promise<boolean> {
  find('error').textContent = ''
  button.disabled = true
  try {
    await action()
    return true
  } catch (error) {
    find('error').textContent = (error as Error).message
    // A token may be withdrawn at any time.
    if (error instanceof PlantStoreError && error.status === 401) enter(false)
    return false
  } finally {
    button.disabled = false
  }
}

function enter(isInside: boolean): void {
  find('enter').hidden = isInside
  find('garden').hidden = !isInside
}

/** Calls the action with the values of a form, and clears the form if it succeeds. */
function onSubmit(id: string, action: (value: (name: string) => string) => Promise<void>): void {
  const form = find<HTMLFormElement>(id)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const values = new FormData(form)
    const done = await run(form.querySelector('button')!, () =>
      action((name) => String(values.get(name))),
    )
    if (done) form.reset()
  })
}

onSubmit('enter', async (value) => {
  token = value('token')
  await showFirst()
  enter(true)
})
onSubmit('add', async (value) => {
  const tag = value('tag')
  await plants.create({ id: BigInt(value('id')), name: value('name'), ...(tag && { tag }) })
  await showFirst()
})
onSubmit('remove', async (value) => {
  await plants.delete(BigInt(value('id')))
  await showFirst()
})
more.addEventListener('click', () => run(more, async () => show(await plants.listPage({ next }))))
