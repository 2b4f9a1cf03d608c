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
const idOfNext = find<HTMLFormElement>('add').elements.namedItem('id') as HTMLInputElement

let token = ''
const plants = createPlantClient({ baseUrl: '/api/v1', token: () => token })
/** The page behind those that are shown. */
let next: string | undefined
/** The names of the plants that this page has added, by id: a list has no ids. */
const added = new Map<bigint, string>()
/** The random id that the form begins with. */
let drawnId: bigint

/** Shows the first page. The response of a change doesn't tell where its plant belongs. */
async function showFirst(): Promise<void> {
  const page = await plants.listPage({ limit: PAGE_SIZE })
  list.replaceChildren()
  show(page)
  showAdded()
}

function show(page: PlantPage): void {
  for (const { name, tag } of page.plants) list.append(toItem(name, tag))
  next = page.next
  more.hidden = next === undefined
  find('empty').hidden = list.childElementCount > 0
}

function showAdded(): void {
  const items = [...added].map(([id, name]) => {
    const item = toItem(name, `id ${id}`)
    const button = document.createElement('button')
    button.className = 'quiet'
    button.append('Remove')
    button.ariaLabel = `Remove ${name}`
    button.addEventListener('click', () =>
      run(button, async () => {
        await remove(id)
        await showFirst()
      }),
    )
    item.append(button)
    return item
  })
  find('added').replaceChildren(...items)
  // So that each plant has another id without anybody thinking of one.
  drawnId = crypto.getRandomValues(new BigInt64Array(1))[0]!
  idOfNext.value = String(drawnId)
}

function toItem(name: string, detail: string | undefined): HTMLLIElement {
  const item = document.createElement('li')
  // As text, so that a name is never markup.
  item.append(name)
  if (detail) item.appendChild(document.createElement('span')).append(detail)
  return item
}

async function remove(id: bigint): Promise<void> {
  await plants.delete(id)
  added.delete(id)
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

/** Calls the action with the values of a form. If it succeeds, clears the form and shows the plants. */
function onSubmit(id: string, action: (value: (name: string) => string) => Promise<void>): void {
  const form = find<HTMLFormElement>(id)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const values = new FormData(form)
    await run(form.querySelector('button')!, async () => {
      await action((name) => String(values.get(name)))
      form.reset()
      await showFirst()
      enter(true)
    })
  })
}

onSubmit('enter', async (value) => {
  token = value('token')
})
onSubmit('add', async (value) => {
  const tag = value('tag')
  const plant = { id: BigInt(value('id')), name: value('name'), ...(tag && { tag }) }
  await plants.create(plant).catch((error) => {
    // Nobody else has a random id: an earlier try of the client was carried out, and its response was lost.
    const isOurs = plant.id === drawnId && error.code === 'duplicate_id' && error.mayHaveBeenApplied
    if (!isOurs) throw error
  })
  added.set(plant.id, plant.name)
})
onSubmit('remove', (value) => remove(BigInt(value('id'))))
more.addEventListener('click', () => run(more, async () => show(await plants.listPage({ next }))))
