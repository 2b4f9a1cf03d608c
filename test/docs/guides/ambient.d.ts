// Declares what the guides' shorter examples use.

declare const store: import('plant-store').PlantStore
declare const storage: import('plant-store').PlantStorage
declare const verify: import('plant-store').AuthVerifier

// Those of an ORM or a driver, on the pages of storages.
declare const db: any
declare const pool: any
declare const dataSource: any
declare const knex: any
declare const sequelize: any
declare const prisma: any
declare const prismaPool: any
declare const sql: any
declare const url: string
declare const authToken: string
declare const handle: any
