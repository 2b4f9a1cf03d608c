import { createPlantClient, PlantStoreError } from 'plant-store/client'

const output = document.querySelector('output')!
const print = (line: string) => output.append(line, '\n')
const codeOf = (error: unknown) => (error instanceof PlantStoreError ? error.code : `${error}`)

const plants = createPlantClient({ baseUrl: '/api', token: 's3cret' })
const ids = [-(2n ** 63n), 0n, 2n ** 63n - 1n]
for (const id of ids) await plants.create({ id, name: `plant ${id}` })
print(await plants.create({ id: 0n, name: 'again' }).then(() => 'created', codeOf))
for await (const { name } of plants.list({ limit: 1 })) print(name)
for (const id of ids) await plants.delete(id)
print(await plants.delete(0n).then(() => 'deleted', codeOf))
const stranger = createPlantClient({ baseUrl: '/api', token: 'wr0ng' })
print(await stranger.listPage().then(() => 'listed', codeOf))
output.dataset.state = 'done'
